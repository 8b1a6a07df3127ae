"""The pictures of the terminal in docs/: recorded screens of `tokensteps step`, 80×24 and 120×40."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.loops import finished
from tokenizers_core import Corpus, train_bpe, train_unigram
from tokensteps.cli.terminal.stepper import Stepper
from tokensteps.drawing.whatif import style_of

COURSE = (Path(__file__).resolve().parents[2] / "assets" / "corpora" / "course.txt").read_text("utf-8")
FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def recorded(trace: Any, name: str, size: tuple[int, int], keys: list[str]) -> str:
    """The screen after some keys, as a picture of lines, without need of a font."""

    async def press() -> str:
        app = Stepper(trace, f"{name} · course.txt", style_of(trace, "spaces"), "en")
        async with app.run_test(size=size) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            return app.export_screenshot(title="tokensteps step")

    return FONTS.sub("", finished(press()))


def terminal_pictures(browser: Browser, folder: Path) -> list[Path]:
    """Draw them."""
    lines = COURSE.splitlines()
    marks = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
    screens = {
        "terminal-80x24": recorded(
            train_bpe(Corpus.from_texts(lines), vocab_size=50), "BPE", (80, 24), ["right"] * 5
        ),
        "terminal-120x40": recorded(
            train_unigram(marks, seed_size=200, vocab_size=60), "Unigram", (120, 40), ["end", "pageup"]
        ),
    }
    files = []
    for name, drawn in screens.items():
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.set_content(f'<body style="margin:0">{drawn}')
        file = folder / f"{name}.png"
        page.locator("svg").screenshot(path=file)
        page.close()
        files.append(file)
    return files
