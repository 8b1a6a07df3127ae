"""Streamlit's scripts in few files, in a real browser: they do what they did, each once, and where they can't, a page starts without.

Source: the language's standard, on modules. Oracle: the same scripts as separate files, and Streamlit's elements, which appear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import ROOT, joined_at
from tokensteps.server.entrance.script_bundles.groups import Groups

APP = ROOT / "app.py"
ELEMENTS = Path(__file__).with_name("elements_demo.py")
HOUSE = {
    "a.js": "var l=[];function e(n){l.push(n);return n}export{l,e as s};",
    "b.js": 'import{s as e}from"./a.js";e("b");class t{alone(){return(()=>this)()===r}}var r=new t;export{r as default,t as x};',
    "c.js": 'import{s as t}from"./a.js";t("c");var n=0;function e(){n++}export{n,e};',
    "d.js": 'import{n as e,e as t}from"./c.js";import{s as n}from"./a.js";n("d");var r=()=>(t(),e);export{r as t};',
    "e.js": 'import{t as e}from"./d.js";import{default as t}from"./b.js";import{s as n}from"./a.js";'
    "n(`e ${e()} ${e()} ${t.alone()} ${i()}`);function i(){return typeof r}var r=()=>import(`./f.js`);export{r as t};",
    "f.js": 'import{s as e}from"./a.js";e("f");var t=function(){return this===void 0};export{t as default,e as $};',
    "later.js": 'import f,{$ as e}from"./f.js";import{x as t}from"./b.js";e("later");export{t};',
    "first.js": 'import{l as e}from"./a.js";import{t}from"./e.js";import"./f.js";let n=await t(),r=await import("./later.js"),'
    'i=await import("./b.js");var o=[e,Object.keys(n).sort(),(0,n.default)(),i.default instanceof r.t];export{o as all};',
}
"""Scripts of which one counts (c), one takes the count from it as it is (d), two can't be joined (`first`, which waits, and `later`,
which is written in another way and isn't known before it is asked for), and all say that they run."""


def asked_for(page: Page) -> list[str]:
    """The scripts of Streamlit's that a page asks for from here on."""
    asked: list[str] = []
    page.on(
        "request", lambda request: asked.append(urlsplit(request.url).path) if "/js" in request.url else None
    )
    return asked


def test_a_first_visit_takes_few_requests(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    page = open_page(fresh=True)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    asked = asked_for(page)
    page.goto(f"{joined_at(serve(APP))}/bpe?lang=en&corpus=hug&step=3")
    expect(page.locator(".ts-flipbook .say").first).to_be_visible()
    expect(page.get_by_test_id("stSelectbox").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert len([one for one in requests if one.startswith("http")]) < 60
    assert [one for one in asked if not re.match(r"/static/js-\w{16}/", one)] == []
    assert max(Counter(asked).values()) == 1


def test_elements_of_all_kinds_appear(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    page = open_page(errors=True, fresh=True)  # the app's faces don't lie beside this page
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    asked = asked_for(page)
    page.goto(joined_at(serve(ELEMENTS)))
    for name in (
        "stCode", "stTextArea", "stSlider", "stMultiSelect", "stDateInput", "stCheckbox", "stRadio", "stFileUploader",
        "stDataFrame", "stJson", "stMetric", "stDownloadButton", "stExpander", "stTabs",
    ):  # fmt: skip
        expect(page.get_by_test_id(name).first, name).to_be_visible()
    expect(page.locator(".katex").first).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").locator("canvas").first).to_be_visible()
    page.get_by_role("tab", name="Another tab").click()
    expect(page.get_by_text("In another tab.")).to_be_visible()
    assert failed == []
    assert [one for one in asked if not re.match(r"/static/js-\w{16}/", one)] == []
    assert max(Counter(asked).values()) == 1
    groups = {one for one in asked if "/group." in one}
    assert groups and len(asked) > len(groups)


@pytest.mark.parametrize("broken", ["gone", "unreadable", "failing"])
def test_a_page_starts_without_them(
    broken: str, serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    page = open_page(errors=True, fresh=True)
    answers = {"gone": (404, ""), "unreadable": (200, "}{"), "failing": (200, "throw Error('no')")}
    status, body = answers[broken]
    page.route(
        "**/static/js-*/group.1.js",
        lambda route: route.fulfill(status=status, body=body, content_type="text/javascript"),
    )
    page.goto(f"{joined_at(serve(APP))}/bpe?lang=en&corpus=hug&step=2")
    expect(page.locator(".ts-flipbook .say").first).to_be_visible()
    expect(page.get_by_test_id("stSelectbox").first).to_be_visible()
    assert page.locator("#root > *").count() == 1


def test_joined_scripts_do_the_same(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    groups = Groups.of(["first.js"], HOUSE.__getitem__)
    assert {*groups.modules} - {*groups.number} == {"c.js", "d.js", "first.js"}
    page = open_page(fresh=True)

    def answer(route: Route) -> None:
        folder, name = urlsplit(route.request.url).path.split("/")[-2:]
        body = HOUSE[name] if folder == "plain" else groups.text(name)
        route.fulfill(body=body, content_type="text/javascript")

    page.route("**/house/**", answer)
    page.goto(serve(APP))
    plain, joined = (
        page.evaluate("async folder => (await import(`/house/${folder}/first.js`)).all", folder)
        for folder in ("plain", "joined")
    )
    ran = joined.pop(0)
    assert sorted(ran) == sorted(plain.pop(0)) and "e 1 2 true undefined" in ran
    assert [ran.index(one) for one in ("c", "d")] == sorted(ran.index(one) for one in ("c", "d"))
    assert joined == plain == [["$", "default"], True, True]
