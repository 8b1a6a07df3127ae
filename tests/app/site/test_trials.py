"""The requests of the site's page “Try” to Python, without a browser: the same module that runs in one.

Oracle: the app's own run of the same address; the engine's archive itself, in a Python without any other
package.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import KINDS
from tokenizers_core.files.exports import prunes_to_json, trace_to_json
from tokensteps.language.i18n import LANGUAGES, use_language
from tokensteps.limits import ENCODE_LIMIT, LIVE_TEXT
from tokensteps.runs.algorithms import ALGORITHMS, trace_at
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.runs.rules import RULES_OF
from tokensteps.site.build import Site, in_languages
from tokensteps.site.live import live_files
from tokensteps.site.live.live_files import PackageError, archive, npm_package, pyodide_package
from tokensteps.site.live.page import TRY_POLICY, try_page
from tokensteps.site.live.trials import LIVE_WINDOW, Trials

TEXT = "hug pug pun bun hugs\n" + "".join(KINDS["markup"][:6])


@pytest.fixture
def trials() -> Any:
    yield Trials("en", lambda _done: None)
    use_language("en")


def reply(trials: Trials, what: str, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(trials.do(what, json.dumps(arguments)))
    return answer


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_run_is_the_apps(trials: Trials, algorithm: str) -> None:
    pre = next(rule for rule in RULES_OF[algorithm] if rule.name == "pre").default
    text = EXAMPLES["mixed"].text()
    reply(trials, "train", text=text, algorithm=algorithm, pre=pre, size="400")
    app: Any = trace_at(ALGORITHMS[algorithm], corpus="paste", text=pack_text(text), pre=pre, size="400")
    written = prunes_to_json(app) if algorithm == "unigram" else trace_to_json(app)
    assert reply(trials, "save") == {"file": written}


def test_windows_follow_the_step(trials: Trials) -> None:
    message = reply(
        trials, "train", text=EXAMPLES["mixed"].text(), algorithm="bpe", pre="byte_level", size="300"
    )
    first = json.loads(message["frames"])
    assert (first["first"], len(first["frames"]), first["seek"]) == (0, LIVE_WINDOW, [0, 1])
    later = json.loads(reply(trials, "frames", book="training", step=100, nonce=1)["frames"])
    assert later["first"] <= 100 < later["first"] + LIVE_WINDOW == later["first"] + len(later["frames"])
    assert (
        later["run"] == first["run"] and later["seek"][1] == first["seek"][1]
    )  # the browser stays where it is
    assert reply(trials, "frames", book="training", step=101, nonce=1) == {}, "the page has them"
    again = reply(trials, "train", text="hug pug", algorithm="bpe", pre="byte_level", size="")
    assert json.loads(again["frames"])["run"] != first["run"]


def markup(message: dict[str, Any]) -> str:
    """The part of a flipbook's first window that becomes markup."""
    return "".join(frame["html"] + frame["label"] for frame in json.loads(message["frames"])["frames"])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hostile_text_stays_text(trials: Trials, algorithm: str) -> None:
    pre = next(rule for rule in RULES_OF[algorithm] if rule.name == "pre").default
    shown = markup(reply(trials, "train", text=TEXT, algorithm=algorithm, pre=pre, size="300"))
    message = reply(trials, "encode", text=TEXT)
    assert message["words"][:2] == ["hug", "pug"]
    shown += message["tokens"] + markup(reply(trials, "explain", word=TEXT.split()[-1]))
    assert not any(tag in shown.lower() for tag in ("<script", "<img", "<svg/", "<iframe"))


def test_a_text_is_bounded_and_an_error_is_a_sentence(trials: Trials) -> None:
    trials.warm_up()
    for what, more in {"save": {}, "encode": {"text": "hug"}, "explain": {"word": "hug"}}.items():
        assert reply(trials, what, **more) == {"error": "Nothing has been trained yet: press “Train” first."}
    arguments = {"algorithm": "bpe", "pre": "byte_level", "size": "50"}
    message = reply(trials, "train", text="x" * (LIVE_TEXT + 1), **arguments)
    assert message == {"error": "The text has 20,001 characters, but the page takes 20,000: shorten it."}
    assert "empty" in reply(trials, "train", text="", **arguments)["error"]
    assert reply(trials, "train", text="hug", **{**arguments, "size": "1"})["error"].startswith(
        "Vocabulary size: 1 is below"
    )
    reply(trials, "train", text="hug pug", **arguments)
    assert "2,000" in reply(trials, "encode", text="x" * (ENCODE_LIMIT + 1))["error"]
    with pytest.raises(ValueError, match="0"):
        reply(trials, "train", text="hug", **{**arguments, "size": "0"})


def test_the_archive_has_all_imported_modules(tmp_path: Path) -> None:
    """In a Python with nothing but its standard library and the archive."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import tokensteps.site.live.trials, regex, tokensteps.drawing.handout;"
        "assert regex.__file__.startswith(sys.argv[1]) and 'streamlit' not in sys.modules"
    )
    data = archive()
    assert data == archive(), "the same files make the same site"
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert {f"assets/locale/{code}/LC_MESSAGES/tokensteps.mo" for code in LANGUAGES if code != "en"} <= {
        *names
    }
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)], capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_another_package_is_refused() -> None:
    with pytest.raises(PackageError, match=r"isn't npm's package of pyodide 314\.0\.7"):
        pyodide_package(b"PK")


def test_without_npm_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_files.shutil, "which", lambda _name: None)
    with pytest.raises(PackageError, match=r"npm isn't here.* --pyodide FILE"):
        npm_package()
    monkeypatch.setattr(
        live_files.shutil, "which", lambda _name: sys.executable
    )  # it knows no command “pack”
    with pytest.raises(PackageError, match="registry could not be reached") as refused:
        npm_package()
    assert "pack" in str(refused.value)


def test_the_page_is_in_all_languages_and_makes_no_request() -> None:
    results = dict(in_languages(Site(pyodide=b"there"), lambda: [try_page()]))
    assert {*results} == {f"{language}/try.html" for language in LANGUAGES}
    assert "connect-src" not in TRY_POLICY and TRY_POLICY.startswith("default-src 'none'")
    assert "http:" not in "".join(results.values()) and "https:" not in "".join(results.values())
