"""Step through Unigram training."""

from tokensteps.pages.train.unigram import show

show()
