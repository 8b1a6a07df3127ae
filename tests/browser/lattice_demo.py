"""A tiny page around the lattice tab, for the browser tests.

Its pieces are the fifteen of the course's example; with `?text=`, every stretch of that text, by its number
of occurrences. `?word=` is the word to begin with.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tokenizers_core.encoding.models.lattice import Lattice
from tokensteps.drawing.tokens import Style
from tokensteps.pages.train.lattice_tab import lattice_tab
from tokensteps.server.entrance.files import FromMemory

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "unigram_hug.json"


def course_pieces() -> dict[str, float]:
    """The fifteen pieces of the words hug, pug, pun, bun and hugs, with their log probabilities."""
    counted = json.loads(GOLDEN.read_text("utf-8"))["freqs_in_order"]
    return {piece: math.log(number / 210) for piece, number in counted}


def stretches(text: str, longest: int = 6) -> dict[str, float]:
    """Every stretch that a text has twice, and its characters, with log probabilities."""
    counts = Counter(
        text[start : start + length]
        for length in range(1, longest + 1)
        for start in range(len(text) - length + 1)
    )
    counts = Counter({piece: number for piece, number in counts.items() if number > 1 or len(piece) == 1})
    total = counts.total()
    return {piece: math.log(number / total) for piece, number in counts.items()}


def main() -> None:
    st.set_page_config(page_title="Lattice", layout="wide")
    for sheet in ("page/style.css", "page/page.css"):
        st.html(ROOT / "assets" / sheet)
    st.sidebar.text_input("Text", key="text")
    text = st.query_params.get("text")
    pieces, unknown = (stretches(text), -12.0) if text else (course_pieces(), None)
    lattice_tab(
        lambda word: Lattice.build(word, pieces, unknown),
        ["hug", "pug", "pun", "bun", "hugs"],
        st.query_params.get("word", "unhug"),
        Style(),
        lambda name: f"demo.{name}",
    )


if __name__ == "__main__":
    main()
else:  # the server, with the components' scripts; pytest imports it, too
    app = st.App(__file__, middleware=[Middleware(FromMemory)])
