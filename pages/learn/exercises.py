"""Exercises with keys that the engine computes."""

from tokensteps.pages.learn.exercises import show_exercises

show_exercises()
