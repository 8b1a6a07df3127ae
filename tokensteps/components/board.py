"""A picture for answering a question: mounts `assets/components/board.js`, with clicks that fill in the boxes
of the form."""

from __future__ import annotations

import json

from tokensteps.components.base import component


def board(key: str, html: str, word: str, labels: dict[str, str], *, last: bool) -> None:
    """Show a picture by `tokensteps.drawing.lattice.board` in the form with its boxes.

    With `last`, a chosen piece goes into the box for the last piece up to its end; otherwise the pieces
    become the split of `word`. The `labels` are "hint" (instructions), "open" (the uncovered rest, with
    `{letters}`) and "done" (with `{split}`).
    """
    data = {"html": html, "word": word, "last": last, "labels": labels}
    component("board", ("components/board.css", "page/style.css", "page/projector.css"))(
        key=key, data=json.dumps(data).encode()
    )
