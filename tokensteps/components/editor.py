"""The text box of the playground: a component with reports of its text during typing.

Streamlit's own text area reports when the typing is over and can be overwritten by an answer to an older
text. Here the text belongs to the browser from the first key on, and Python replaces it only explicitly: with
a new nonce.

    typed = editor(text, KEY, labels=labels, nonce=nonce, params=("text",))
    text = text if typed is None else typed.text

inside one `st.fragment`. With an `address`, the box asks the server at each key for the chips alone, and
reports its text to the page when the typing pauses. Every visible word comes in as an argument, so nothing
here needs translating.
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
"""The address of the box itself, under Streamlit's `static/`: a browser loads it once."""
_NEWLINE: Final = re.compile("\r\n?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Typed(NamedTuple):
    """A text reported by the browser, and its number of changes so far."""

    text: str
    at: int


def as_typed(text: str) -> str:
    """Return `text` in a text box's form: newlines are `\\n`, half a UTF-16 pair is U+FFFD.

    Offsets agree with the browser's only for such text: use it for texts from files and links.

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
    address: str = "",
) -> Typed | None:
    """Mount the text box and return the browser's text for this `nonce`, or None without one so far.

    The browser takes `text` when the box appears on the page and when `nonce` is new, and otherwise keeps its
    own. `labels` needs the keys in `EDITOR_LABELS`, plain text. `params` names the URL parameters that follow
    the typing: while the box is there, a change of only these replaces the browser's history entry and adds
    none.

    The box sends "tokensteps:selection" on the document when its selection changes, and selects the range in
    "tokensteps:range"; both carry {start, end} in code points.

    `insert` is a text to put in at the caret, as if somebody had pasted it, with a number: once for each new
    number.

    `address` is the one, within the app, for the chips of a text being typed; without one, they come with
    the page alone.

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
        "key": key,  # the browser's own name for the box changes with each appearance
        "nonce": nonce,
        # Not the text typed since: the browser has it, and a large text shouldn't travel back.
        "text": value[1],
        "heard": typed is not None,
        "params": list(params),
        "insert": insert,
        "desk": address,
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
