"""Newer kinds of BPE: each is a rule of its own on the trainer of plain BPE."""
