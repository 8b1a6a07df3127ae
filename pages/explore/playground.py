"""Paste text, see its tokens; several tokenizers side by side."""

from tokensteps.pages.explore.playground import show_playground

show_playground()
