"""Why tokenizers matter, in six scenes on the learner's own input."""

from tokensteps.pages.learn.matters import show

show()
