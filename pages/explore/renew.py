"""Retrain a tokenizer on other text, and see one text under both."""

from tokensteps.pages.explore.renew import show

show()
