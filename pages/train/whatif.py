"""Train once more with one thing changed, and see where the two runs part."""

from tokensteps.pages.train.whatif import show

show()
