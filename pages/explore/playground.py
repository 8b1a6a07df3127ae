"""Paste text, see its tokens; several tokenizers side by side."""

from ui.playground import show_playground

show_playground()
