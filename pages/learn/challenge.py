"""Challenges: set one for a class, answer it, check the answers."""

from tokensteps.pages.learn.challenge import show

show()
