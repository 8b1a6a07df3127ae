"""Lesson plans, and more for teachers."""

from tokensteps.pages.learn.teach import show

show()
