"""A text through normalization, pre-tokenization, model and post-processing, and back."""

from ui.pipeline_page import show_pipeline

show_pipeline()
