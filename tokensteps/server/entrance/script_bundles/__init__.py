"""Streamlit's small scripts, joined: a browser asks for thirty files, not for a hundred."""
