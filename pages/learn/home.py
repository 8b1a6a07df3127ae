"""Home: what a token is, and where to begin."""

from ui.home import show_home

show_home()
