"""A tiny playground around the text box and the chips, for the browser tests: a tokenizer of a few lines.

Words with the white space before them are tokens of their own; emoji and 語 fall apart into tokens of a byte
or two; words with "zz" are unknown; a form feed is dropped. The page wires text, URL and chips.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from zlib import crc32

import regex
import streamlit as st
from starlette.middleware import Middleware

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tokensteps.components.address import update_url
from tokensteps.components.chips import linked_chips
from tokensteps.components.editor import editor
from tokensteps.drawing.chips import Piece, Shown, TextRun, chips_message
from tokensteps.drawing.tokens import chip, fill
from tokensteps.server.entrance.files import FromMemory

EDITOR = {
    "label": "Text",
    "placeholder": "Type or paste text",
    "hint": "Up to 1 MB; nothing leaves this computer.",
    "failed": "The box could not be loaded.",
}
LABELS = {
    "pane": "Tokens", "chip": "{text}: {ids}", "unknown": "unk", "ids": "Ids", "card": "Details",
    "hint": "Point at a token to see its details.", "empty": "Tokens appear here as you type.",
    "token": "Token {index} of {total}", "tokens": "Tokens {index}–{last} of {total}",
    "characters": "characters {start}–{end}", "copy_ids": "Copy ids", "copy_tokens": "Copy tokens",
    "copy_text": "Copy text", "copied": "{number} of {total} copied",
    "rest_one": "and {number} more", "rest_other": "and {number} more",
}  # fmt: skip
EXAMPLE = """Tokenizers split text into subwords.\tTabs and newlines are tokens too.
مرحبا بالعالم، هذا نص عربي من 2025 كلمة.
שלום עולם, and Hebrew שלום עולם inside English.
日本語のテキストと中文文本，以及한국어 문장。
Families 👨‍👩‍👧‍👦 and flags 🇯🇵 🏳️‍🌈, a\u0301ccents, zzyzx and U+202E\u202e too.
"""
HOSTILE = (
    "<img src=x onerror=alert(1)> </script><script>alert(2)</script> &lt;b&gt; \"quoted\" 'single' "
    "\u202eevil\u202c \x00\x1b[31m </bdi></div></template> onmouseover=alert(3) {ids} "
    "<svg/onload=alert(4)> http://evil.test/x.png\n"
)
TEXTS = {"multilingual": EXAMPLE, "hostile": HOSTILE, "empty": "", "astral": "😀😀 one 😀 two\nthree four"}
SPLIT = r"(?=[\p{Extended_Pictographic}\p{Regional_Indicator}語])\X"
PARTS = regex.compile(
    rf"\f|\n| ?{SPLIT}|[^\S\f\n]?(?:[\p{{L}}\p{{M}}]{{1,6}}|\p{{N}}{{1,3}}|[^\s\p{{L}}\p{{N}}])\p{{M}}*|\s"
)
LIMIT = 3000


def pieces(part: str, start: int) -> tuple[Piece, ...]:
    """The tokens of a part: three at most, each with its share of the bytes."""
    if part == "\f":
        return ()
    data, end = part.encode("utf-8", "surrogatepass"), start + len(part)
    if not regex.search(SPLIT, part):
        return (Piece(crc32(data) % 50_000, part, data, start, end, False, "zz" in part),)
    shares = [data[:2], data[2:3], data[3:]]
    return tuple(
        Piece(crc32(share) % 50_000, share.hex(), share, start, end, False, False)
        for share in shares
        if share
    )


def runs(text: str) -> list[TextRun]:
    """The text's runs, between two special tokens."""
    results = [TextRun("", 0, 0, (Piece(0, "<s>", b"", 0, 0, True, False),))]
    results += [
        TextRun(match.group(), match.start(), match.end(), pieces(match.group(), match.start()))
        for match in PARTS.finditer(text)
    ]
    return [
        *results,
        TextRun("", len(text), len(text), (Piece(1, "</s>", b"", len(text), len(text), True, False),)),
    ]


def card(piece: Piece) -> str:
    """A token's details."""
    return fill(
        "{chip}{rows}",
        chip=f"<h4>{chip(piece.token)}</h4>",
        rows=f"<dl><dt>Id</dt><dd>{piece.id:,}</dd><dt>Bytes</dt><dd><code>{escape(piece.data.hex(' '))}</code></dd></dl>",
    )


@st.fragment
def playground() -> None:
    state = st.session_state
    if "text" not in state:
        chosen = st.query_params.get("example", "multilingual")
        state.update(text=st.query_params.get("text") or TEXTS[chosen], nonce=0, runs=0)
    state["runs"] += 1
    typed = editor(state["text"], "editor", labels=EDITOR, nonce=state["nonce"], params=("text",))
    if typed is not None and typed.text != state["text"]:
        state["text"] = typed.text
        update_url({"text": typed.text if len(typed.text) <= 200 else None})
    left, right, _ = st.columns([2, 1, 2])
    write = left.radio("Show", ["text", "ids", "bytes"], horizontal=True, label_visibility="collapsed")
    spaces = right.toggle("Whitespace", value=True)
    result = runs(state["text"])
    page = result[:LIMIT]
    cards = {piece.id: card(piece) for run in page for piece in run.pieces}
    total = sum(len(run.pieces) for run in result)
    data = chips_message(
        page, Shown(write, spaces), cards, LABELS, "demo", st.query_params.get("linked") != "no", total=total
    )
    linked_chips(data, "chips")
    st.text(f"{len(state['text'])} characters; {total} tokens; runs {state['runs']}.")
    if st.button("Example"):
        state.update(text="An example, <b>ready</b>.\nIts second line.", nonce=state["nonce"] + 1)
        st.rerun(scope="fragment")
    if st.button("Rerun"):
        st.rerun(scope="fragment")


def main() -> None:
    st.set_page_config(page_title="Playground", layout="wide")
    playground()


if __name__ == "__main__":
    main()
else:  # the server, with the components' scripts; pytest imports it, too
    app = st.App(__file__, middleware=[Middleware(FromMemory)])
