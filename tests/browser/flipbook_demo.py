"""A tiny page around the flipbook, for the browser tests: 300 (or, for the corpus "short", 20) frames of 60
chips.

It shows how a page wires step, URL and Back: the corpus select box is *not* bound to the URL by Streamlit (a
bound widget replaces the URL, so Back couldn't return to the former corpus); the page writes corpus and step
together.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tokensteps.components.address import is_back
from tokensteps.components.flipbook import flipbook, go_to, position
from tokensteps.drawing.frame import Frame, packed, payload, window
from tokensteps.server.entrance.files import FromMemory

LABELS = {
    "first": "First step", "back": "Step back", "next": "Step forward", "last": "Last step", "play": "Play",
    "pause": "Pause", "speed": "Speed", "step": "Step {step} of {last}", "scrubber": "Step", "rest_one": "and {number} more", "rest_other": "and {number} more", "fewer": "Show fewer", "stage": "The step",
    "timeline": "What was learned", "loading": "Fetching this step …",
}  # fmt: skip
COLOURS = ["#e8f1fb,#1a2a3d", "#fdf1d8,#38300f", "#e4f5ec,#14311f", "#f6e9f6,#341f38", "#fbe7e3,#3b1f1a"]
STYLE = "font:600 14px ui-monospace,monospace;padding:4px 6px;border-radius:6px;border:1px solid var(--edge);"
KEY = "demo"
LASTS = {"long": 299, "short": 19}


@cache
def frame(step: int, last: int) -> Frame:
    chips = "".join(
        f'<b style="{STYLE}background:light-dark({COLOURS[(i * 7 + step) % 5]})">t{(i * step) % 97}</b>'
        for i in range(60)
    )
    html = (
        f'<p style="margin:0;padding:14px 16px;font-size:19px" data-frame="{step}">Merge <b>a{step}</b> into '
        f"<b>ab{step}</b>. The pair occurs <b>{last - step}</b> times in the corpus.</p>"
        f'<div style="display:flex;flex-wrap:wrap;gap:3px;padding:0 16px 14px">{chips}</div>'
    )
    return Frame(
        html,
        f"Step {step} merges a and b.",
        "start" if step == 0 else f"Ġt{step}",
        f"{step + 31} of 330 tokens",
    )


def frames(steps: Sequence[int], last: int) -> list[Frame]:
    return [frame(step, last) for step in steps]


@st.fragment
def stage(corpus: str) -> None:
    if "making" in st.session_state:
        st.button("It is made", key="made", on_click=st.session_state.pop, args=("making",))
        return
    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    last = LASTS[corpus]
    steps = position(KEY, run=f"{corpus}-en", trace=corpus, last=last, url={"corpus": corpus})
    shown = window(steps.step, last)
    run = f"{corpus}-en"
    data = packed(payload(run, last, shown.start, frames(shown, last), steps.seek, LABELS, param="step"))
    reported = flipbook(data, key=KEY, run=run, seek=steps.seek)
    st.text(
        f"corpus {corpus}; Python is at {steps.step}; reported {reported}; runs {st.session_state['runs']}."
    )
    left, middle, right, last_one = st.columns(4)
    left.button("Rerun", key="rerun")
    middle.button("Go to 200", key="go", on_click=go_to, args=(KEY, 200))
    right.button("Lose the session", key="lose", on_click=st.session_state.pop, args=(f"{KEY}.position",))
    last_one.button("Lose the session and its run", key="lose_run", on_click=lose_run)


def lose_run() -> None:
    del st.session_state[f"{KEY}.position"]
    st.session_state["making"] = True


def main() -> None:
    st.set_page_config(page_title="Flipbook", layout="wide")
    if "corpus" not in st.session_state or is_back():
        linked = st.query_params.get("corpus")
        st.session_state["corpus"] = linked if linked in LASTS else "long"
    st.sidebar.selectbox("Corpus", list(LASTS), key="corpus")
    st.sidebar.text_input("Text", key="text")
    st.sidebar.markdown("[A new tab](?corpus=short)")
    stage(st.session_state["corpus"])


if __name__ == "__main__":
    main()
else:  # the server, with the components' scripts; pytest imports it, too
    app = st.App(__file__, middleware=[Middleware(FromMemory)])
