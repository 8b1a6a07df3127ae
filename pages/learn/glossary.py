"""What the technical words mean, each with a page that shows it."""

from tokensteps.pages.learn.glossary import show

show()
