"""What comes in through the WebSocket and as uploads: how large, how often, and for how long it is kept."""
