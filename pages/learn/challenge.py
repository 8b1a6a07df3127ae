"""Challenges for a class: answer one, check the codes of all."""

from tokensteps.pages.learn.challenge import show_page

show_page()
