"""Home: what a token is, and where to begin."""

from tokensteps.pages.learn.home import show

show()
