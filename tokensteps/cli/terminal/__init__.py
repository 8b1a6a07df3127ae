"""Tokens and training in a terminal, with `rich` and `textual`: the extra `tokensteps[terminal]`."""
