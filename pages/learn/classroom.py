"""A class: what Streamlit runs for this page."""

from tokensteps.pages.learn.classroom import show

show()
