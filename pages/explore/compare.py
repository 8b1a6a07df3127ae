"""One corpus through BPE, WordPiece and Unigram, side by side by vocabulary size."""

from tokensteps.pages.explore.compare import show

show()
