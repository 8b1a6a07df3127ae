"""Ratios against other tokenizers and against plainer versions of the same algorithms, measured side by
side."""
