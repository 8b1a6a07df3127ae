"""Exercises with keys that the engine computes."""

from ui.exercises_page import show_exercises

show_exercises()
