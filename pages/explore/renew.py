"""Train a new tokenizer from an old one, and see one text under both."""

from tokensteps.pages.explore.renew import show_renew

show_renew()
