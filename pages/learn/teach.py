"""Lesson plans, and what else is for teachers."""

from tokensteps.pages.learn.teach import show

show()
