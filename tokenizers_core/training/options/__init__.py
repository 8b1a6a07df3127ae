"""Options of training besides its size: bounds of pairs, limits of tokens and alphabet, and trimming."""
