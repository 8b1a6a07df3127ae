"""The text box of the playground: a component that reports its text while somebody types.

Streamlit's own text area reports when the typing is over and can be overwritten by an answer to an older
text. Here the text belongs to the browser from the first key on, and Python says explicitly when it wants
another one: with a new nonce.

    typed = editor(text, KEY, labels=labels, nonce=nonce, params=("text",))
    text = text if typed is None else typed.text

inside one `st.fragment`. With a `desk`, the box asks the server at each key for the chips alone, and reports
its text to the page when the typing pauses. Everything that a person reads comes in as an argument, so
nothing here needs translating.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from tokensteps.components.base import component, ignore

EDITOR_LABELS: Final = ("label", "placeholder", "hint", "failed")
_LIBRARY: Final = "app/static/scripts/codemirror.js"
"""Where Streamlit serves `static/`: the box itself, loaded once by a browser."""
_NEWLINE: Final = re.compile("\r\n?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Typed(NamedTuple):
    """A text that the browser reported, and how often it had been changed."""

    text: str
    at: int


def as_typed(text: str) -> str:
    """Return `text` as a text box holds it: newlines are `\\n`, half a UTF-16 pair is U+FFFD.

    Offsets agree with the browser's only for such text: use it for what comes from files and links.

    >>> as_typed("a\\r\\nb\\rc\\n")
    'a\\nb\\nc\\n'
    """
    return _SURROGATE.sub("\ufffd", _NEWLINE.sub("\n", text))


def editor(
    text: str,
    key: str,
    *,
    labels: Mapping[str, str],
    nonce: int = 0,
    params: Sequence[str] = (),
    insert: tuple[int, str] = (0, ""),
    desk: str = "",
) -> Typed | None:
    """Mount the text box and return the text that the browser reported for this `nonce`, or None if it hasn't
    yet.

    The browser takes `text` when the box appears on the page and when `nonce` is new, and otherwise keeps its
    own. `labels` needs the keys in `EDITOR_LABELS`, plain text. `params` names the URL parameters that follow
    the typing: while the box is there, a change of those alone replaces the browser's history entry and adds
    none.

    The box sends "tokensteps:selection" on the document when its selection changes, and selects what
    "tokensteps:range" names; both carry {start, end} in code points.

    `insert` is a text to put in at the caret, as if somebody had pasted it, with a number: once for each new
    number.

    `desk` is the address, within the app, at which the server draws the chips of a text that is being typed;
    without one, they come with the page alone.

    Raises `ValueError` when a label is missing.
    """
    missing = [name for name in EDITOR_LABELS if name not in labels]
    if missing:
        raise ValueError(f"labels lack {', '.join(missing)}; the browser writes no words of its own.")
    typed = text_reported(st.session_state.get(key), nonce)
    value = st.session_state.get(f"{key}.given")
    if typed is None or value is None or value[0] != nonce:
        value = st.session_state[f"{key}.given"] = (nonce, as_typed(text))
    message = {
        "key": key,  # the browser's own name for the box changes each time that it appears
        "nonce": nonce,
        # Not what was typed since: the browser has it, and a large text shouldn't travel back.
        "text": value[1],
        "heard": typed is not None,
        "params": list(params),
        "insert": insert,
        "desk": desk,
        "script": f"/{st.get_option('server.baseUrlPath')}/{_LIBRARY}".replace("//", "/"),
        "labels": {name: labels[name] for name in EDITOR_LABELS},
    }
    data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    result = component("editor")(key=key, data=data, on_text_change=ignore)
    return text_reported(result, nonce)


def text_reported(result: Any, nonce: int) -> Typed | None:
    """Return the text in a component's state, unless the browser hadn't seen this nonce when it reported."""
    match result.get("text") if isinstance(result, Mapping) else None:
        case [int(after), str(text), int(at)] if after == nonce:
            return Typed(
                _SURROGATE.sub("\ufffd", text), at
            )  # our box sends none, but somebody's own program might
    return None
