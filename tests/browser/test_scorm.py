"""A lesson as a SCORM package in a learning platform: `scorm-again`, a run-time of the standard from npm, is
the platform.

Oracles: that run-time's scores, progress and interactions, by its own checks of each value's form; the app's
worth of a second and a third try. Its package is fetched once, in a pinned version by its hash, into the
folder of `tests/real/packages.py`.
"""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.test_site import GRADE, STRICT, Links, frames_of, served
from tests.real.packages import Package, fetched
from tokensteps.classroom.gradebook import WORTH
from tokensteps.cli.commands import command_line
from tokensteps.limits import ANSWER_LIMIT
from tokensteps.site.scorm import MANIFEST, SCORM_VERSIONS

SCORM_AGAIN: Final = Package(
    "npm",
    "scorm-again",
    "3.4.3",
    "sha512-Zbe+7ArMUbT1lVnqYxsbGRfI9JD9JVqEPzZLQdk0nfNmcDYJ404rMO9nbkQ0Hzwux5uACF9zKsvc29Q/ZzMOdg==",
    "scorm-again",
)
LESSON: Final = """
title = "Five <words> & more"
language = "en"
text = "Count first."

[[part]]
run = { algorithm = "bpe", corpus = "hug", step = 1 }

[[part.question]]
ask = "How often do u and g stand side by side?"
answer = 20

[[part.question]]
ask = "What decides between pairs that are equally frequent?"
choices = ["A rule", "The data"]
answer = "A rule"

[[part.question]]
ask = "What is the new token called?"
answer = ["ug", "u g"]
hint = "Write both parts."
"""
LONG: Final = 'title = "Long"\nlanguage = "en"\n' + 12 * (
    "[[part]]\n" + 40 * '[[part.question]]\nask = "Which?"\nanswer = "hug"\n'
)
ROOM: Final = {"1.2": 4_096, "2004": 64_000}
"""Characters of `cmi.suspend_data`, as the standard has them; scorm-again refuses more."""
PLATFORM: Final = """<!doctype html><title>Platform</title><script src="lms.js"></script>
<script>window.$name = new $class({autocommit: false, logLevel: 4}); const kept = sessionStorage.getItem("kept");
if (kept) $name.loadFromJSON(JSON.parse(kept), "");</script><iframe src="$start" width="1200" height="700"></iframe>"""
BARS: Final = "bars => bars.map((bar) => [bar.style.width, bar.dataset.style.slice('width:'.length)])"
NAMES: Final = {"1.2": ("API", "Scorm12API"), "2004": ("API_1484_11", "Scorm2004API")}


@pytest.fixture(scope="module")
def lms() -> Path:
    try:
        return fetched(SCORM_AGAIN)
    except OSError as error:
        pytest.skip(f"scorm-again can't be had: {error}")


@contextmanager
def platform_with(lms: Path, folder: Path, version: str, text: str) -> Iterator[tuple[str, Path]]:
    """The address of a platform with the package of a lesson in it, and the package's first page."""
    (folder / "lesson.toml").write_text(text, "utf-8")
    words = ["package", folder / "lesson.toml", "--scorm", version, "--output", folder / "lesson.zip"]
    done = CliRunner().invoke(command_line, [*map(str, words)])
    assert done.exit_code == 0, done.output
    course = folder / "course"
    with zipfile.ZipFile(folder / "lesson.zip") as package:
        package.extractall(course)
    tree = ElementTree.parse(course / MANIFEST)
    [resource] = [one for one in tree.iter() if one.tag.endswith("}resource")]
    listed = {one.get("href") for one in resource}
    there = {str(path.relative_to(course)) for path in course.rglob("*") if path.is_file()}
    start = str(resource.get("href"))
    assert listed == there - {MANIFEST} and start in listed
    assert {one.text for one in tree.iter() if one.tag.endswith("}title")} == {tomllib.loads(text)["title"]}
    name, result = NAMES[version]
    script = "scorm12.min.js" if version == "1.2" else "scorm2004.min.js"
    (folder / "lms.js").write_bytes((lms / "dist" / script).read_bytes())
    page = PLATFORM.replace("$name", name).replace("$class", result)
    (folder / "index.html").write_text(page.replace("$start", f"course/{start}"), "utf-8")
    with served(folder, STRICT, "/course/") as address:  # the page in it is a strict host's
        yield address, course / start


@pytest.fixture(params=SCORM_VERSIONS)
def platform(request: pytest.FixtureRequest, lms: Path, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A version, and the address of a platform with the lesson in it."""
    with platform_with(lms, tmp_path, request.param, LESSON) as (address, start):
        assert Links(start).tags and frames_of(start.read_text("utf-8"))
        yield request.param, address


def lms_value(page: Page, version: str, name: str) -> str:
    """A value in the platform."""
    api, _class = NAMES[version]
    get = "LMSGetValue" if version == "1.2" else "GetValue"
    return str(page.evaluate("([api, get, name]) => String(window[api][get](name))", [api, get, name]))


def answer(lesson: FrameLocator, number: int, typed: str, verdict: str) -> None:
    task = lesson.locator(f"#question-{number}")
    box = task.locator("[name=answer]")
    if box.evaluate("box => box.tagName") == "SELECT":
        box.select_option(typed)
    else:
        box.click()
        box.press("Control+a")
        box.press_sequentially(typed)
    task.get_by_role("button", name="Check").dblclick()  # an impatient hand: one try all the same
    expect(task.locator(".verdict")).to_have_text(verdict)


def left(page: Page, version: str) -> dict[str, Any]:
    """Close the lesson; returns the platform's stored values (it will give them back)."""
    api, _class = NAMES[version]
    page.evaluate("() => { document.querySelector('iframe').src = 'about:blank'; }")
    page.wait_for_function("api => window[api].isTerminated()", arg=api)
    stored: dict[str, Any] = json.loads(page.evaluate("api => JSON.stringify(window[api].cmi)", api))
    page.evaluate("kept => sessionStorage.setItem('kept', kept)", json.dumps(stored))
    return stored


def lesson_at(page: Page, address: str, tally: str) -> FrameLocator:
    """The lesson in the platform's page, once it says how many are solved."""
    page.goto(address)
    lesson = page.frame_locator("iframe")
    expect(lesson.locator(".tally")).to_have_text(tally)
    return lesson


def refusals(page: Page) -> list[str]:
    """The platform's messages, from now on, about refused values."""
    results: list[str] = []
    page.on("console", lambda said: results.append(said.text) if "SCORM" in said.text else None)
    return results


def test_three_exercises_with_wrong_tries_closed_resumed_and_finished(
    platform: tuple[str, str], open_page: Callable[..., Page]
) -> None:
    version, address = platform
    page = open_page(own=True)
    refused = refusals(page)
    lesson = lesson_at(page, address, "0 of 3 solved")
    bars = lesson.locator(".bar[data-style]").evaluate_all(BARS)
    assert len(bars) > 3 and all(width == styled for width, styled in bars)
    status = "cmi.core.lesson_status" if version == "1.2" else "cmi.completion_status"
    raw = "cmi.core.score.raw" if version == "1.2" else "cmi.score.raw"
    assert lms_value(page, version, status) == "incomplete" and float(lms_value(page, version, raw)) == 0
    answer(
        lesson,
        1,
        "x",
        "“x” can't be read as a number: type digits, or a product or a fraction such as a/(b × c).",
    )
    answer(lesson, 1, "19", "Not this one.")
    answer(lesson, 1, "20", "Right.")
    answer(lesson, 2, "A rule", "Right.")
    answer(lesson, 2, "The data", "Not this one.")  # after the solution: that counts for nothing
    assert float(lms_value(page, version, raw)) == 50
    left(page, version)

    lesson = lesson_at(page, address, "2 of 3 solved")
    expect(lesson.locator("#question-1 [name=answer]")).to_have_value("20")
    expect(lesson.locator("#question-2 [name=answer]")).to_have_value("A rule")
    expect(lesson.locator("#question-2 .verdict")).to_have_text("Right.")
    assert lms_value(page, version, status) == "incomplete" and float(lms_value(page, version, raw)) == 50
    answer(lesson, 3, "gu", "Not this one.")
    answer(lesson, 3, "hug", "Not this one.")
    answer(lesson, 3, "U g", "Right.")
    worth = (WORTH["half"] + WORTH["right"] + WORTH["quarter"]) / 3
    assert lms_value(page, version, status) == "completed"
    assert float(lms_value(page, version, raw)) == round(100 * worth, 2)
    if version == "2004":
        assert float(lms_value(page, version, "cmi.score.scaled")) == round(worth, 4)
        assert float(lms_value(page, version, "cmi.progress_measure")) == 1
    stored = left(page, version)
    interactions = stored["interactions"].get("childArray") or [*stored["interactions"].values()]
    response, wrong = (("student_response", "wrong"), ("learner_response", "incorrect"))[version == "2004"]
    assert [(one["id"], one[response], one["result"]) for one in interactions if isinstance(one, dict)] == [
        ("question-1-1", "19", wrong),
        ("question-1-2", "20", "correct"),
        ("question-2-1", "A rule", "correct"),
        ("question-3-1", "gu", wrong),
        ("question-3-2", "hug", wrong),
        ("question-3-3", "U g", "correct"),
    ]
    assert len(stored["suspend_data"]) < 4_096 and refused == []


def test_back_to_a_lesson_that_has_ended_begins_it_anew(
    lms: Path, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """A browser may give a whole page back, as it was when it ended the lesson: nothing would be recorded."""
    with platform_with(lms, tmp_path, "1.2", LESSON) as (address, _start):
        page = open_page(own=True)
        lesson = lesson_at(page, address, "0 of 3 solved")
        both = "for (const event of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(event, { persisted: true }))"
        with page.expect_navigation():
            page.frames[1].evaluate(f"() => {{ {both} }}")
        answer(lesson, 1, "20", "Right.")
        assert float(lms_value(page, "1.2", "cmi.core.score.raw")) > 0
        expect(lesson.locator(".tally")).to_have_text("1 of 3 solved")


@pytest.mark.slow
def test_after_three_wrong_tries_the_platform_keeps_the_last(
    platform: tuple[str, str], open_page: Callable[..., Page]
) -> None:
    version, address = platform
    page = open_page(own=True)
    lesson = lesson_at(page, address, "0 of 3 solved")
    for typed in ("gu", "hug", "u"):
        answer(lesson, 3, typed, "Not this one.")
    answer(lesson, 3, "ug", "Right.")
    expect(lesson.locator(".tally")).to_have_text("0 of 3 solved")
    answer(lesson, 1, "20", "Right.")
    expect(lesson.locator(".tally")).to_have_text("1 of 3 solved")
    left(page, version)

    lesson = lesson_at(page, address, "1 of 3 solved")
    task = lesson.locator("#question-3")
    expect(task.locator("[name=answer]")).to_have_value("u")
    expect(task.locator("[name=answer]")).to_have_attribute("aria-invalid", "true")
    expect(task.locator(".verdict")).to_have_text("Not this one.")
    expect(task.get_by_text("Write both parts.")).to_be_visible()
    expect(lesson.locator("#question-2 .verdict")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("version", SCORM_VERSIONS)
def test_a_long_lesson_keeps_within_the_platforms_room(
    lms: Path, tmp_path: Path, open_page: Callable[..., Page], version: str
) -> None:
    """480 questions, some with answers of the greatest length: each one's tries are kept, and the fitting
    answers."""
    long = {number: chr(0x4E00 + number) * ANSWER_LIMIT for number in range(1, 21)}
    short = {number: f"wrong {number}" for number in range(21, 41)}
    with platform_with(lms, tmp_path, version, LONG) as (address, _start):
        page = open_page(own=True)
        refused = refusals(page)
        lesson = lesson_at(page, address, "0 of 480 solved")
        typed = [(f"question-{number}", [text]) for number, text in {**long, **short, 480: "hug"}.items()]
        assert page.frames[1].evaluate(GRADE, typed) == 40 * ["wrong"] + ["right"]
        suspended = lms_value(page, version, "cmi.suspend_data")
        whole = [number for number, text in long.items() if text in suspended]
        assert len(suspended) <= ROOM[version] and len(whole) == (0 if version == "1.2" else 15)
        left(page, version)

        page.goto(address)
        expect(lesson.locator(".tally")).to_have_text("1 of 480 solved")
        for number, text in {**dict.fromkeys(long, ""), **{one: long[one] for one in whole}, **short}.items():
            assert lesson.locator(f"#question-{number} [name=answer]").input_value() == text
        assert page.frames[1].evaluate(GRADE, [("question-1", ["hug"])]) == ["right"]  # at the second try
        raw = "cmi.core.score.raw" if version == "1.2" else "cmi.score.raw"
        assert float(lms_value(page, version, raw)) == round(100 * (WORTH["right"] + WORTH["half"]) / 480, 2)
        assert refused == []


def test_without_a_platform_the_lesson_notes_that_nothing_is_recorded(
    platform: tuple[str, str], open_page: Callable[..., Page]
) -> None:
    _version, address = platform
    page = open_page(own=True)
    page.goto(f"{address}course/en/lesson.html")
    expect(
        page.get_by_text("No learning platform has opened this page: nothing is recorded.")
    ).to_be_visible()
    page.locator("#question-1 [name=answer]").press_sequentially("20")
    page.locator("#question-1").get_by_role("button", name="Check").click()
    expect(page.locator(".tally")).to_have_text("1 of 3 solved")
