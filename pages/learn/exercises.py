"""Exercises with answer keys that the engine computes."""

from tokensteps.pages.learn.exercises import show

show()
