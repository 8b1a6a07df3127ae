"""Train a new tokenizer from an old one, and see one text under both."""

from ui.renew_page import show_renew

show_renew()
