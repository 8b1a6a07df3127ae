"""A text through normalization, pre-tokenization, model and post-processing, and back."""

from tokensteps.pages.explore.pipeline import show

show()
