"""One corpus through BPE, WordPiece and Unigram, side by side by vocabulary size."""

from ui.compare_page import show_compare

show_compare()
