"""A picture in which a question is answered: mounts `assets/components/board.js`, which fills in the boxes of
its form."""

from __future__ import annotations

import json

from tokensteps.components.base import component


def board(key: str, html: str, word: str, labels: dict[str, str], *, last: bool) -> None:
    """Show a picture that `tokensteps.drawing.lattice.board` drew, in the form whose boxes it fills in.

    With `last`, a piece that is chosen goes into the box for the last piece up to where it ends; otherwise
    the pieces become the split of `word`. The `labels` are "hint" (what to do), "open" (what is left to
    cover, with `{letters}`) and "done" (with `{split}`).
    """
    data = {"html": html, "word": word, "last": last, "labels": labels}
    component("board", ("components/board.css", "page/style.css", "page/projector.css"))(
        key=key, data=json.dumps(data).encode()
    )
