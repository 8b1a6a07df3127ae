"""Streamlit's small scripts in few files: what may be joined, and what is made of it.

Source: the language's standard, ECMA-262: an import follows its export's value. Oracles: whether a variable is written to after its
script has run, worked out by hand for each short script here; for Streamlit's own scripts, the names in the files that are made. That
joined scripts do the same, a real browser shows (`tests/browser/test_script_bundles.py`).
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import streamlit as st

from tests.app.server.test_files import BROWSER, App, Ask, asking
from tests.loops import finished
from tokensteps.language.pages import PAGES
from tokensteps.server.entrance import page as first
from tokensteps.server.entrance.files import FromMemory
from tokensteps.server.entrance.script_bundles import served
from tokensteps.server.entrance.script_bundles.groups import Circular, Groups, Joined
from tokensteps.server.entrance.script_bundles.javascript import Script, Unclear
from tokensteps.server.tasks import TrainingError
from tokensteps.server.workers import Worker, Workers
from tokensteps.streamlit_internals import SCRIPTS, first_page

SETTLED = [
    "var x=1;",
    "function x(){}",
    "class x{}",
    "var x;x=1;x++;[x]=[2];",
    "var x=1;function f(x){x=2}",
    "var x=1;function f(a,x=3){x+=2}",
    "var x=1;function f(...x){x=2}",
    "var x=1;function f({a:x}){x=2}",
    "var x=1;function f({x=2}={},[y]=[]){x++}",
    "var x=1;function f([,x]){--x}",
    "var x=1;var f=x=>x=2,g=(a,x)=>x=a,h=(x,y)=>{x=y};",
    "var x=1;var f=x=>y=>x=y;",
    "var x=1;function f(){let x;return()=>{x=2}}",
    "var x=1;function f(){var a=1,x=a?b:c;x++}",
    "var x=1;function f(){let{a:x}=o;x=1}",
    "var x=1;function f(){const[a,x]=o;return x}",
    "var x=1;function f(){for(let x=0;x<9;x++)g(x)}",
    "var x=1;function f(){for(let x of y)x=2}",
    "var x=1;function f(){for(var a=1,x;;)x=2}",
    "var x=1;function f(){for(let x in y){x=2}}",
    "var x=1;function f(){function x(){}x=2}",
    "var x=1;function f(){class x{}x=2}",
    "var x=1;try{f()}catch(x){x=2}",
    "var x=1;var o={m(x){x=2},async n(x){x=2},get x(){return 1}};o.x=3;o?.x;",
    "var x=1;class C{static m(x){x=2}}",
    "var x=1;function f(){o.x=2;o[x]=3;return o.x++}",
    'var x=1;function f(){return"x=2"+`x=3${x}x=4`+/x=5[/]/.source}',
    "var x=1;function f(){/* x=2 */return x==2||x===3||x=>4}",
    "var x=1;var f=(e,x)=>e?x=1:2;",
    "var x;(function(e){e.a=1})(x||(x={}));",
]
"""Scripts with an x that stays as it is once they have run."""
CHANGING = [
    "var x=1;function f(){x=2}",
    "var x=1;var f=()=>x=2;",
    "var x=1;var f=()=>{x=2};",
    "function x(){return x=function(){},x()}",
    "var x,f=e((()=>{x={}}));",
    "var x=1;function f(){x++}",
    "var x=1;function f(){--x}",
    "var x=1;function f(){x??=2}",
    "var x=1;function f(){x**=2}",
    "var x=1;function f(){x/=2}",
    "var x=1;function f(){[x]=y}",
    "var x=1;function f(){[a,[b,x=2]]=y}",
    "var x=1;function f(){({x}=y)}",
    "var x=1;function f(){({a:x}=y)}",
    "var x=1;function f(){({a:{b:[x]}}=y)}",
    "var x=1;function f(){[...x]=y}",
    "var x=1;function f(){for(x of y)g()}",
    "var x=1;function f(){for(x in y)g()}",
    "var x=1;function f(){for([x]of y)g()}",
    # What has the name is something else, or elsewhere.
    "var x=1;function f(a=x){x=2}",
    "var x=1;function f({x:a}){x=2}",
    "var x=1;function f({[x]:a}){x=2}",
    "var x=1;function f({a=b?c:x}){x=2}",
    "var x=1;function f({a=[x]}){x=2}",
    "var x=1;function f(a){g(x);x=2}",
    "var x=1;function f(){g(a,x);x=2}",
    "var x=1;function f(){let a=g(b,x);x=2}",
    "var x=1;function f(){let a={x};x=2}",
    "var x=1;function f(){{let x=1}x=2}",
    "var x=1;function f(){if(a){let x=1}x=2}",
    "var x=1;function f(){let a=function x(){};x=2}",
    "var x=1;function f(){let a=class x{};x=2}",
    "var x=1;function f(){for(let x of y){}x=2}",
    "var x=1;function f(){for(let x of y)if(a){}x=2}",
    "var x=1;function f(){for(let a of y)x=2}",
    "var x=1;function f(){g(x=>1);x=2}",
    "var x=1;function f(){a?x=>1:x=2}",
    "var x=1;function f(){let g=x=>1,h=x=2}",
    "var x=1;function f(){let g=x=>{}\nx=2}",
    "var x=1;function f(){let g=x=>1\nx=2}",
    "var x=1;function f(){let a=1\nb,x=2}",
    "var x=1;function f(){if(x){x=2}while(x){x=3}switch(x){case 1:x=4}}",
    "var x;({x}=y);",
    "var x;if(y){x=1}",
    "var x=1;function f(a=x=2){}",
    "var x=1;var f=(a=x=2)=>1;",
    "var x=1;function f(){if(a)[x]=y}",
    "var x=1;function f(){for(;;){break\n[x]=y}}",
    "var x=1;function f(){[(x)]=y}",
    "var x=1;function f(){(x)=y}",
    "var x=1;function f(){((x))++}",
    "var x=1;function f(){for(var k in b,x=2){}}",
    "var x=1;function f(){return{let:1,x,m:()=>x=2}}",
    "var x=1;function f(){a,g(x)\n{x=2}}",
    "var x=1;function f(){of[x=2]}",
    "var x=1;class C extends f(x){m(){x=2}}",
    "var x=1;class C{a=x=2}",
    "var x=1;class C{m(){x=2}}",
    "var x=1;var o={m(){x=2}};",
    "var x=1;var f=()=>`${x=2}`;",
    "var x=1;function f(){return a/x/(x=2)}",
    "var x=1;if(a)/'/.test(b);function f(){x=2}",
    "var x=1;function f(){o.let;a,x=2}",
]
"""Scripts with one that changes later, or might for all that can be told."""
UNCLEAR = [
    "f(",
    "f)",
    "(]",
    "`${a`",
    "'",
    "{}/a/.b",
    "eval('x=1')",
    "x\u00a0=2",
    "of/x=2/1",
    "`",
    "\\u0061=1",
]


@pytest.mark.parametrize("text", SETTLED)
def test_what_keeps_its_value_is_told(text: str) -> None:
    assert Script(text).settled("x")


@pytest.mark.parametrize("text", CHANGING)
def test_what_may_change_is_never_taken_for_settled(text: str) -> None:
    assert not Script(text).settled("x")


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_cant_be_read_for_certain_is_told(text: str) -> None:
    with pytest.raises(Unclear):
        Script(text)


def joined(**scripts: str) -> Groups:
    """Scripts a, b, ... that the last one needs, which is too large to be joined."""
    texts = {f"{name}.js": text for name, text in scripts.items()}
    return Groups.of([[*texts][-1]], texts.__getitem__)


LOADED_LATER = r'import\("\./(group\.\d\.js)"\)\.then\(\(all\) => all\.(\$joined\d+)\)'
"""What loads a script later that is in a group."""
A = "var t=1;export{t};"


@pytest.mark.parametrize(
    "b",
    [
        'import{t}from"./a.js";var e=t;export{e as x};export{e as y};',
        'import{t}from"./a.js";export default t;',
        'import t from"./a.js";export{t};',
        'import*as t from"./a.js";export{t};',
        'import{t}from"./a.js";await t;export{t};',
        'import{t}from"./a.js";var e=import.meta.url;export{e};',
        'import{t}from"./a.js";var e=t;function f(){e++}export{e};',
        'import{t}from"./a.js";var e=t;export{e as then};',
        'import{t}from"./a.js";var $joined0=t;export{$joined0 as e};',
        'import{t}from"./a.js";var e=t;',
        'const __vite__mapDeps=1;\nimport{t}from"./a.js";var e=t;export{e};',
        f'import{{t}}from"./a.js";var e="{"." * 100_000}";export{{e}};',
    ],
)
def test_whatever_isnt_as_expected_stays_a_file(b: str) -> None:
    groups = joined(a=A, b=b, c='import{e}from"./b.js";import"./a.js";await e;export{e};')
    assert "b.js" not in groups.number
    assert "c.js" not in groups.number
    assert groups.text("c.js").endswith("await e;export{e};")


def test_who_takes_what_changes_stays_a_file() -> None:
    changing = "var t=1,n=2;function f(){t=2}export{t,f,n};"
    groups = joined(
        a=changing,
        b='import{t}from"./a.js";export{t as x};',
        c='import{n}from"./a.js";import"./b.js";export{n};',
    )
    assert groups.number == {"c.js": 0}
    assert groups.text("b.js") == 'import{t as t}from"./a.js";export{t as x};'
    # And who takes it from somebody who only passes it on.
    groups = joined(
        a=changing, b='import{t}from"./a.js";export{t as x};', c='import{x}from"./b.js";export{x};'
    )
    assert groups.number == {}


def test_a_file_between_two_scripts_is_run_between_them() -> None:
    groups = joined(
        a=A,
        b='import{t}from"./a.js";import.meta;export{t};',
        c='import{t}from"./b.js";import{t as e}from"./a.js";var x=t+e;export{x as default};',
    )
    assert groups.number == {"a.js": 0, "c.js": 1}
    assert groups.places() == ["group.0.js", "b.js", "group.1.js"]
    assert (
        groups.text("b.js") == 'import{$joined0}from"./group.0.js";const{t:t}=$joined0;import.meta;export{t};'
    )
    assert groups.text("group.1.js").startswith(
        'import*as $joined1 from"./b.js";\nimport{$joined0}from"./group.0.js";'
    )
    assert (
        groups.text("c.js")
        == 'import{$joined2}from"./group.1.js";const{default:$joined_0}=$joined2;export{$joined_0 as default};'
    )


def test_what_is_loaded_later_comes_from_its_group() -> None:
    ahead = 'const __vite__mapDeps=(i,d=["./a.js","./z.js","../css/a.css"])=>i;\n'
    groups = joined(a=A, b=f'{ahead}import"./a.js";f(()=>import(`./a.js`),()=>import("./z.js"));export{{f}};')
    assert groups.text("b.js") == (
        f'{ahead.replace("./a.js", "./group.0.js")}import{{$joined0}}from"./group.0.js";'
        'f(()=>import("./group.0.js").then((all) => all.$joined0),()=>import("./z.js"));export{f};'
    )


def test_a_circle_isnt_joined() -> None:
    with pytest.raises(Circular):
        joined(a='import"./b.js";export{};', b='import"./a.js";export{};')


# --- Streamlit's own ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own() -> Iterator[Joined]:
    before = [*served._at_hand]
    made = served._joined()
    assert made is not None
    served._at_hand[:] = [made]
    yield made
    served._at_hand[:] = before


@pytest.fixture
def ask(own: Joined, tmp_path: Path) -> Ask:
    server = FromMemory(App(tmp_path))
    return lambda path, *sent, **more: finished(asking(server, path, more.get("method", "GET"), sent, "http"))


def made_page(own: Joined, path: str) -> str:
    return gzip.decompress(first.page_for(path).body).decode("utf-8")


@pytest.mark.parametrize("one", PAGES.values(), ids=lambda one: one.name)
def test_a_page_asks_for_few_files_each_once(one: object, own: Joined) -> None:
    page = made_page(own, one.path)  # type: ignore[attr-defined]
    asked = re.findall(rf'(?:src|href)="\./static/js-{own.digest}/([^"]+)"', page)
    most = 30 if st.__version__.startswith("1.67.") else 32  # 1.66 has one part more
    assert len(asked) == len(set(asked)) <= most
    assert re.findall(r'"\./static/js/[^"]*"', page) == re.findall(r'(?<=data-plain=)"[^"]*"', page) != []
    for name in asked:  # and nothing is asked for behind them
        assert set(re.findall(r'(?:from|import)"\./([^"]+)"', own.groups.text(name))) <= set(asked), name


def test_every_name_that_is_imported_is_exported(own: Joined) -> None:
    """By all of Streamlit's scripts, of which most aren't needed until a page has what they draw."""
    exported: dict[str, set[str]] = {}
    texts: Mapping[str, str] = {
        name: own.groups.text(name)
        for name in {*own.groups.places(), *(path.name for path in SCRIPTS.glob("*.js"))}
    }
    for name, text in texts.items():
        exports = re.findall(r"export\{([^}]*)\}", text)
        exported[name] = {one.split(" as ")[-1] for part in exports for one in part.split(",")}
    for name, text in texts.items():
        for names, other in re.findall(r'import(?:\{([^}]*)\}from)?"\./([\w.$-]+\.js)";', text):
            wanted = {one.split(" as ")[0] for one in names.split(",") if one}
            assert wanted <= exported[other], (name, other)
        for other, variable in re.findall(LOADED_LATER, text):
            assert variable in exported[other], name
    assert any(re.search(LOADED_LATER, text) for text in texts.values())


def test_most_small_scripts_are_joined(own: Joined) -> None:
    assert len(own.groups.number) > 0.7 * len(own.groups.modules)


def test_the_files_come_for_good(own: Joined, ask: Ask) -> None:
    for name in (
        own.groups.places()[0],
        "Json.js",
        next(iter(own.groups.number)),
        next(SCRIPTS.glob("Json.*.js")).name,
    ):
        path = f"/base/static/js-{own.digest}/{name}"
        if name == "Json.js":  # there is no such script, so Streamlit answers
            assert ask(path, BROWSER).body == b"other"
            continue
        answer, plain = ask(path, BROWSER), ask(path)
        assert (
            "immutable" in answer.headers["cache-control"] and "javascript" in answer.headers["content-type"]
        )
        assert gzip.decompress(answer.body) == plain.body == own.groups.text(name).encode("utf-8")
        assert ask(path, BROWSER, (b"range", b"bytes=1-2")).body == answer.body
        assert ask(path, BROWSER, method="HEAD").body == b""
    assert ask(f"/static/js-{'0' * 16}/{own.groups.places()[0]}", BROWSER).body == b"other"


def test_a_page_that_isnt_as_expected_stays_as_it_is(own: Joined) -> None:
    page = first_page()
    assert served.with_joined(page, own.digest) != page
    for other in (
        page.replace('<script type="module" ', "<script "),
        page.replace("modulepreload", "preload"),
    ):
        assert served.with_joined(other, own.digest) == other
    assert served.with_joined(page, "") == served.with_joined(page, "0" * 16) == page


def test_scripts_that_cant_be_joined_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(served, "SCRIPTS", tmp_path)
    monkeypatch.setattr(served, "_at_hand", [])
    assert served._joined.__wrapped__() is None  # type: ignore[attr-defined]
    assert served.joined_digest() == "" and "stay as they are" in caplog.text


def test_a_server_that_ends_while_they_are_joined_says_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ending = Workers()

    def ends(_worker: Worker, _work: object, _progress: object) -> bytes:
        raise TrainingError("lost")

    monkeypatch.setattr(Worker, "run", ends)
    monkeypatch.setattr(served, "workers", lambda: ending)
    monkeypatch.setattr(served, "_at_hand", [])
    assert served._joined.__wrapped__() is None  # type: ignore[attr-defined]
    assert served.joined_digest() == caplog.text == ""
    ending.close()
