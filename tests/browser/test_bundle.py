"""The single script of all components, in a browser.

Source: Streamlit 1.67's way with a component: each new payload is a call of its own, behind the import of the
component's script; a call overtaken by the next one is ended as soon as it returns. Oracle: the order of the
payloads.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tokensteps.assets import read_asset
from tokensteps.components.bundle import STUB, bundle

PAYLOADS = """async ([bundle, stub, turns]) => {
  const results = [], script = (text) => URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
  stub = stub.replace("$address", script(bundle));
  for (let turn = 0; turn < turns; turn++) {
    const host = document.body.appendChild(document.createElement("div"));
    const parentElement = host.attachShadow({mode: "open"});
    const url = script(`${stub}\\n// ${turn}`);
    let last = {};
    const show = async (path) => {
      const effect = last = {}, data = {page: path, path, usual: []};
      const end = await (await import(url)).default({data, parentElement, setStateValue() {}, setTriggerValue() {}});
      if (effect !== last) await end?.();
    };
    await Promise.all(["one", "two", "three"].map(show));
    await new Promise((rest) => setTimeout(rest, 150));
    host.remove();
    await show("gone"); // while its script was on its way
    results.push(document[Symbol.for("tokensteps.shown")].page);
  }
  return results;
}"""


def test_the_newest_payload_stays(open_page: Callable[..., Page]) -> None:
    """Chromium hands a script that has just been loaded to those waiting for it in no order. A payload for a
    page that has gone is not drawn."""
    page = open_page()
    page.goto("data:text/html,<!doctype html>")
    stub = read_asset(STUB).replace("$name", "class_page").replace("$styles", "[]")
    assert page.evaluate(PAYLOADS, [bundle().text, stub, 12]) == ["three"] * 12
