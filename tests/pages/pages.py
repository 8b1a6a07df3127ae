"""Reading a page without a browser, through Streamlit's `AppTest`, for the tests of all pages."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
from streamlit.testing.v1 import AppTest

from tokensteps.runs.corpora import EXAMPLES, LARGE
from tokensteps.runs.rules import Setting
from tokensteps.server.jobs import registry

APP = Path(__file__).resolve().parents[2] / "app.py"
PATIENT = 60.0
"""Seconds for a run in the background."""
PASTED = "low lower lowest <b>low</b>"
SMALL = [name for name, example in EXAMPLES.items() if example.settings is not LARGE]
"""The examples drawn at once; the large one trains in the background, and has thousands of steps."""


def answer_box(app: AppTest, form: str, name: str) -> Any:
    """A box of the form under a key, for its present answer: `entry`, `choice`, `lines` or `cell.0`."""
    boxes = [*app.text_input, *app.selectbox, *app.text_area]
    return next(box for box in boxes if re.fullmatch(rf"{re.escape(form)}\.\d+\.{name}", str(box.key)))


@dataclass(frozen=True)
class Page:
    """A page with a corpus and rules: its name (settings are kept under it), its script, and its rules."""

    name: str
    script: Path
    own_rules: Sequence[Setting]

    def start(self, query: str = "") -> AppTest:
        """The page at a link, not run yet."""
        app = AppTest.from_file(str(APP), default_timeout=300)
        for name, texts in parse_qs(query, keep_blank_values=True).items():
            app.query_params[name] = texts[0]
        app.switch_page(str(self.script))
        return app

    def opened(self, query: str = "", tab: str = "") -> AppTest:
        """The page as a link opens it, on a tab, its training done."""
        app = self.start(query)
        if tab:
            app.session_state[f"{self.name}.tab"] = tab
        return run(app)

    def with_tab(self, app: AppTest, tab: str) -> AppTest:
        app.session_state[f"{self.name}.tab"] = tab
        return run(app)

    def value(self, app: AppTest, name: str) -> Any:
        return app.session_state[f"{self.name}.{name}"]

    def rules(self, app: AppTest) -> dict[str, Any]:
        return {rule.name: self.value(app, rule.name) for rule in self.own_rules}

    def usual(self, example: str) -> dict[str, Any]:
        """An example's rules on this page."""
        own = EXAMPLES[example].settings_on(self.name)
        return {rule.name: own.get(rule.name, rule.default) for rule in self.own_rules}

    def refuses_numbers(self, app: AppTest, *numbers: tuple[str, int, str | tuple[str, ...]]) -> None:
        """For each rule's impossible number, the page says all of this; number and texts stay, to be
        mended."""
        texts = [box.value for box in app.sidebar.text_area]
        assert problems(app) == [] and books(app)
        for name, number, says in numbers:
            box = app.sidebar.number_input(key=f"{self.name}.{name}")
            before = box.value
            box.set_value(number)
            run(app)
            (message,) = problems(app)
            assert all(part in message for part in ([says] if isinstance(says, str) else says)), message
            assert self.value(app, name) == number and books(app) == []
            assert [box.value for box in app.sidebar.text_area] == texts
            app.sidebar.number_input(key=f"{self.name}.{name}").set_value(before)
        assert problems(run(app)) == [] and books(app)

    def clamps(self, step: str, there: int) -> None:
        """An impossible step leads to an existing one; anything but a number gets a message."""
        app = self.opened(f"corpus=course&step={step}")
        assert book(app)["seek"][0] == there and len(problems(app)) == (step != "" and not there)


def settings_box(boxes: Sequence[Any], key: str) -> Any:
    """A box for an upload's settings: its key goes on with the upload."""
    return next(box for box in boxes if box.key.startswith(f"{key}."))


def run(app: AppTest) -> AppTest:
    """Run the page, again and again until the background's training is there, to its end."""
    app.run()
    assert [error.value for error in app.exception] == []
    while app.get("progress") or any(message["growth"] for message in books(app) if "growth" in message):
        for job in [*registry().jobs.values()]:
            job.finished(PATIENT)
        app.run()
        assert [error.value for error in app.exception] == []
    return app


def address(app: AppTest) -> dict[str, str]:
    """The address's parameters."""
    return {name: texts if isinstance(texts, str) else texts[0] for name, texts in app.query_params.items()}


def bodies(app: AppTest, kind: str) -> list[str]:
    """The page's messages of a kind, as markup."""
    return [html.proto.body for html in app.get("html") if f'class="ts {kind}"' in html.proto.body]


def problems(app: AppTest) -> list[str]:
    return bodies(app, "note problem")


def book(app: AppTest) -> dict[str, Any]:
    """The stage's message."""
    return books(app)[0]


def books(app: AppTest) -> list[dict[str, Any]]:
    """The messages of all flipbooks on the page: the stage, and perhaps one in a tab."""
    return [message for message in sent_messages(app) if "frames" in message]


def tabs(app: AppTest) -> list[str]:
    """The names of the page's tabs, as they are shown."""
    return [shown for message in sent_messages(app, "tabs") for _name, shown in message["names"]]


def tables(app: AppTest) -> list[pd.DataFrame]:
    """The tables on the page, in its order, as the browser gets them."""
    return [
        pd.DataFrame(
            {column["name"]: column["cells"] for column in message["table"]["columns"]}, dtype=object
        )
        for message in sent_messages(app, "table")
    ]


def sent_messages(app: AppTest, component: str = "") -> list[Any]:
    """The messages to the page's components, or to those of this name."""
    sent = [
        (part.proto.component_name.removeprefix("tokensteps."), part.proto.bytes)
        for part in app.get("bidi_component")
    ]
    return [read_message(data) for name, data in sent if data and component in ("", name)]


@lru_cache(maxsize=64)
def read_message(data: bytes) -> Any:
    """A component's message: JSON, or, for a flipbook, a line of it with amendments to the gzipped rest. Read
    once: a page run again mostly sends its components the same."""
    head, newline, packed = data.partition(b"\n")
    return json.loads(gzip.decompress(packed)) | json.loads(head) if newline else json.loads(head)
