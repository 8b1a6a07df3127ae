"""The single script of all components, and its substitute in a message (`tokensteps/components/bundle.py`).

Source: Streamlit's message for a component, read by AppTest. Oracles: the files of `assets/`; JavaScript's
own grammar, by Node where there is one (browser tests run the script itself).
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.waiting import Clock
from tokensteps import assets
from tokensteps.assets import ASSETS, read_asset, script_files
from tokensteps.components import bundle as module
from tokensteps.components.bundle import bundle, component_names

ROOT = Path(__file__).parents[2]


def sheets() -> dict[str, str]:
    """The style sheets in the bundle."""
    match = re.search(r"^const SHEETS = (\{.*\});$", bundle().text, re.MULTILINE)
    assert match is not None
    return dict(json.loads(match[1]))


def test_each_component_has_one_function_after_all_that_it_needs() -> None:
    for name in component_names():
        script = "\n".join(map(read_asset, script_files(name)))
        assert len(re.findall(r"^export default function \w+\(", script, re.MULTILINE)) == 1, name
        assert script.count("export ") == 1, name
        rest = script[script.index("export default") :]
        assert not re.search(r"^(?:const|let|class|import)\b", rest, re.MULTILINE), name


def test_every_component_finds_its_script_and_its_styles() -> None:
    """As `component("name", styles)` is written anywhere in the app; without styles, the intended ones."""
    used = {}
    for path in (ROOT / "tokensteps").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="component"), args=[ast.Constant(value=str(name)), *_rest]):
                    used[name] = path
    assert used.keys() == set(component_names())
    assert {name: read_asset(name) for name in sheets()} == sheets()
    assert {f"components/{path.name}" for path in (ASSETS / "components").glob("*.css")} < sheets().keys()


def test_a_message_has_a_stub() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    at.run()
    stubs = [one.proto for one in at.get("bidi_component")]
    assert len(stubs) > 3
    for proto in stubs:
        assert bundle().address in proto.js_content and len(proto.js_content) < 500 and not proto.css_content
        drawn = re.search(r'\.draw\("(\w+)", (\[.*?\]), args\)', proto.js_content)
        assert drawn is not None and f"tokensteps.{drawn[1]}" == proto.component_name
        assert set(json.loads(drawn[2])) <= sheets().keys()


def test_an_edit_makes_another_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(ASSETS / "components", tmp_path / "components")
    shutil.copytree(ASSETS / "page", tmp_path / "page")
    for one in (assets, module):
        monkeypatch.setattr(one, "ASSETS", tmp_path)
    monkeypatch.setattr(module, "time", clock := Clock())
    before = bundle()
    clock.now += 1
    assert bundle() is before
    with (tmp_path / "components" / "flipbook.css").open("a") as sheet:
        sheet.write("/* another */")
    clock.now += 1
    after = bundle()
    assert after.digest != before.digest and "/* another */" in after.text
