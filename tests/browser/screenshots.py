"""Draw the pictures in docs/: `python -m tests.browser.screenshots` starts the app and photographs it.

The same corpus, step and window size every time, no animation, no caret: a picture changes only when the page
does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.ports import free_port
from tests.browser import chromium
from tests.browser.class_pictures import class_pictures, lesson_pictures
from tests.browser.film import FILM, FILM_LIMIT, take_film
from tests.browser.terminal_pictures import terminal_pictures
from tokenizers_core.files.exports import vocab_txt
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokensteps.catalogue.choices import READY, TokenizerSpec, upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.language.i18n import LANGUAGES
from tokensteps.runs.rules import PLAYGROUND_SLOTS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LIMIT = 300_000
"""A picture's largest size in bytes: the repository keeps every version."""


class Picture(NamedTuple):
    name: str
    path: str
    width: int = 1366
    height: int = 768
    scheme: str = "light"
    lattice: int = 0
    """Steps to go in the lattice under the stage; the lattice is photographed then."""
    token: str = ""
    """The token to click at."""
    point: int = -1
    """The character of the pipeline to point at."""
    top: str = ""
    """The element to bring to the top of the window."""
    projector: bool = False
    """Whether to go into projector mode."""
    uploads: bool = False
    """Whether four tokenizers are uploaded before, each with a name of its own."""


def in_every_language(picture: Picture) -> list[Picture]:
    """A picture of the README: each language's README shows the app in that language."""
    others = [code for code in LANGUAGES if code != "en"]
    return [
        picture,
        *(
            picture._replace(
                name=picture.name.replace("-light", f"-{code}"), path=f"{picture.path}&lang={code}"
            )
            for code in others
        ),
    ]


PICTURES = [
    *in_every_language(Picture("bpe-light", "/bpe?corpus=course&step=5")),
    Picture("projector-dark", "/unigram?corpus=hug&step=6", 1280, 720, scheme="dark", projector=True),
    Picture("predict-light", "/bpe?corpus=hug&mode=predict&ask=pair&step=2"),
    Picture("exercises-light", "/exercises?kind=viterbi&level=2&seed=1"),
    Picture("unigram-light", "/unigram?corpus=course&size=40&step=254"),
    *in_every_language(Picture("lattice-light", "/unigram?corpus=hug", lattice=7)),
    *in_every_language(Picture("playground-light", "/playground?t1=bpe%3Fcorpus%3Dlibrary", token="able")),
    Picture("side-by-side", "/playground", top=".aligned", uploads=True),
    Picture("compare-light", "/compare?corpus=course&step=40"),
    Picture("pipeline-light", "/pipeline", point=16),
    Picture("renew-light", "/renew", top=".aligned"),
]


def four_uploads() -> str:
    """The parameters of four tokenizers from files, found by the server in the store shared with this
    process."""
    trained = {}
    for spec in READY:
        run = TokenizerSpec.parse(spec).run()
        trained[run.algorithm.name] = run.algorithm.train(
            run.source.corpus(run.pipeline), **run.settings
        ).tokenizer()
    ranks = (f"{b64encode(gpt2().token_bytes(index)).decode()} {index}" for index in range(5_000))
    files = {
        "team/bpe": {"tokenizer.json": tokenizer_to_json(trained["bpe"])},
        "team/bert": {"vocab.txt": vocab_txt(trained["wordpiece"])},
        "team/unigram": {"tokenizer.json": tokenizer_to_json(trained["unigram"])},
        "GPT-2's first 5,000": {"gpt2.tiktoken": "\n".join(ranks)},
    }
    specs = [
        TokenizerSpec.parse(upload_spec({kind: text.encode() for kind, text in one.items()}))
        .set(name=name)
        .write()
        for name, one in files.items()
    ]
    return urlencode(dict(zip(PLAYGROUND_SLOTS, specs, strict=True)))


def take(browser: Browser, address: str, picture: Picture) -> Path:
    """Photograph one page, at rest."""
    from tests.browser.conftest import TOURS_TAKEN

    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.scheme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    page.add_init_script(TOURS_TAKEN)
    page.goto(address + picture.path + (f"?{four_uploads()}" if picture.uploads else ""))
    if picture.path.startswith("/playground"):
        page.locator(".ts-chips .r").first.wait_for()
        page.locator(picture.top or ".counts").first.wait_for()
    elif picture.path.startswith("/compare"):
        page.locator(".js-plotly-plot .plot-container").first.wait_for()
    elif picture.path.startswith("/pipeline"):
        page.locator(".ts-pipeline .line").first.wait_for()
        page.locator(".ts-table td").first.wait_for()
    elif picture.path.startswith("/renew"):
        page.locator(picture.top).first.wait_for()
    elif "predict" in picture.path or picture.path.startswith("/exercises"):
        page.locator(".question").wait_for()
        if "predict" in picture.path:
            page.locator(".ts-flipbook .t").first.wait_for()
    elif picture.path.startswith("/unigram"):
        page.locator(".ts-flipbook").nth(1).wait_for()
    else:
        page.locator(".ts-table td").first.wait_for()  # Python has drawn all of it
    if picture.lattice:
        show_lattice(page, picture.lattice)
    if picture.token:
        page.locator(".ts-chips .r", has_text=picture.token).first.click()
    if picture.top:
        page.locator(picture.top).evaluate("node => node.scrollIntoView({ block: 'center' })")
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.evaluate(
        "document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))"
    )
    if picture.point >= 0:
        page.locator(".ts-pipeline [data-r='0']").nth(picture.point).hover()
    else:
        page.mouse.move(picture.width - 2, picture.height - 2)
    if picture.projector:
        page.keyboard.press("p")
        page.wait_for_timeout(500)  # the text to read out is there
    file = DOCS / f"{picture.name}.png"
    page.screenshot(path=file, animations="disabled", caret="hide")
    context.close()
    return file


def show_lattice(page: Page, steps: int) -> None:
    """Bring the lattice to the top of the window and step through it."""
    book = page.locator(".ts-flipbook").nth(1)
    for _ in range(steps):
        book.locator("[data-do=next]").click()
    book.evaluate("book => book.getRootNode().host.scrollIntoView({ block: 'start' })")


def main(names: Sequence[str] = ()) -> int:
    """Draw all pictures, or those with these names; “lesson”: the pictures of a lesson in three languages,
    into a new folder elsewhere."""
    from tests.browser.conftest import ARGUMENTS, SERVER, wait_until_up

    path = chromium.find()
    if path is None:
        print(chromium.ADVICE, file=sys.stderr)
        return 1
    port = str(free_port())
    address = f"http://127.0.0.1:{port}"
    DOCS.mkdir(exist_ok=True)
    handle, log = tempfile.mkstemp(suffix=".log")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *SERVER, "--server.port", port]
    with os.fdopen(handle, "wb") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until_up(server, address, Path(log))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            if [*names] == ["lesson"]:
                result = lesson_pictures(browser, address, Path(tempfile.mkdtemp(prefix="lesson-")))
                print(*result, sep="\n")
                return 0
            chosen = [picture for picture in PICTURES if picture.name in names or not names]
            files = [take(browser, address, picture) for picture in chosen]
            if FILM in names or not names:
                files.append(take_film(browser, address))
            if not names:
                files += class_pictures(browser, address, DOCS) + terminal_pictures(browser, DOCS)
            browser.close()
    finally:
        server.terminate()
        server.wait(10)
        Path(log).unlink()
    for file in files:
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB")
    large = [
        file.name for file in files if file.stat().st_size > (FILM_LIMIT if file.stem == FILM else LIMIT)
    ]
    if large:
        print(f"Too large for the repository: {', '.join(large)}", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
