"""Step through BPE training."""

from tokensteps.pages.train.bpe import show

show()
