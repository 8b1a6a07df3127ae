"""Challenges for a class: answer one, check the codes of all."""

from ui.challenge_page import show_page

show_page()
