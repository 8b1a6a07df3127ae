"""Step through WordPiece training."""

from tokensteps.pages.train.wordpiece import show

show()
