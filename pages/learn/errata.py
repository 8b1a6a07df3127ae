"""Where published walk-throughs are wrong, with the figures, the arithmetic, and the step that shows it."""

from tokensteps.pages.learn.errata import show

show()
