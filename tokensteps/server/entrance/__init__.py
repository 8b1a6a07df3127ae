"""Limits on the WebSocket's messages and on uploads: their sizes, their rates, and how long they are kept."""
