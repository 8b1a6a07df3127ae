"""Paste a text and see its tokens; several tokenizers side by side."""

from tokensteps.pages.explore.playground import show

show()
