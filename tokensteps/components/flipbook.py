"""The flipbook: a component that flips between pre-rendered frames at the speed of the keyboard.

Python draws frames (HTML strings) for a window of steps; `assets/components/flipbook.js` shows one at a time without asking the
server, and reports the step a quarter of a second after the last move. A page goes:

    steps = position(KEY, run=run, last=last)             # where the learner is: browser, URL (Back, links) or memory
    shown = window(steps.step, last)
    data = packed(payload(run, last, shown.start, [frame(k) for k in shown], steps.seek, labels, param="step"))
    flipbook(data, key=KEY, run=run, seek=steps.seek)

inside one `st.fragment`. Everything drawn comes in as an argument, so nothing here needs translating.
"""

from __future__ import annotations

import base64
import hashlib
import html as markup
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import streamlit as st

from tokensteps.assets import read_asset
from tokensteps.components.base import component, ignore
from tokensteps.drawing.mark import MARK_STYLE, mark
from tokensteps.streamlit_internals import is_history_navigation

CHOSEN: Final = "language.chosen"
"""Where a session keeps the language that was chosen, "" for none."""
FLIPBOOK_STYLES: Final = ("components/flipbook.css", "page/style.css", "page/projector.css")


class Position(NamedTuple):
    """Where the learner is: the `step` to draw for, and the `seek` (step, nonce) that goes into the payload."""

    step: int
    seek: tuple[int, int]


def position(
    key: str,
    *,
    run: str,
    last: int,
    trace: str | None = None,
    param: str | None = "step",
    url: Mapping[str, str | None] | None = None,
    arrival: str = "",
) -> Position:
    """Find out where the learner is, and keep the URL there.

    In this order: a step asked for with `go_to`; after Back, Forward, a link or a reload the URL's `?step=`; what the
    flipbook mounted under `key` last reported for this `run`; where the learner was in the same `trace` (which, unlike
    `run`, is the same in every language; default: `run`); the start. A new nonce comes only when the browser has to
    be moved. Steps are clamped to 0..`last`; nonsense in the URL counts as absent.

    `arrival` says that this run of the script comes from another page of the app: "link" when the URL brings settings
    and step with it, which count as after Back; "return" when it doesn't, and gets those that the page remembers.

    `param` names the URL's parameter (None: leave the URL alone), and
    `url` are the page's settings: parameters to write, in the same breath as `param`, when they have changed since the
    last run. The step alone never adds to the browser's history, a change of settings does: Back returns to the former
    settings, at the step left there (the page reads them from the URL again when `is_back()`).
    Call it once per run of the script (or fragment) for a `key`, before `window`.
    """
    trace = run if trace is None else trace
    settings, travelled = dict(url or {}), is_back() or arrival == "link"
    state = st.session_state
    was: dict[str, Any] = state.get(f"{key}.position", {})
    asked = state.pop(f"{key}.go_to", None)
    linked = step_in_url(param) if param else None
    nonce, move = was.get("nonce", 0), True
    reported = _reported(state.get(key), run, nonce)
    if asked is not None:
        step = asked
    elif travelled or not was:
        step = linked or 0
    elif was["trace"] != trace:
        step = 0
    elif reported is not None:
        step, move = reported, False
    elif was["run"] != run:
        step = was["step"]
    else:  # not heard of: not touched yet, or the learner has been on another page meanwhile
        step = was["step"]
        move = step != was["seek"]
    step = min(max(step, 0), last)
    seek = (step, nonce + 1) if move else (was["seek"], nonce)
    state[f"{key}.position"] = {
        "trace": trace, "run": run, "step": step, "seek": seek[0], "nonce": seek[1], "url": settings,
    }  # fmt: skip
    if not was:  # nothing was written yet: a link has it all, a bare address stays bare
        changed = bool({*st.query_params} - {"lang"})
    else:
        changed = was["url"] != settings or arrival == "return"
    wanted = dict(settings) if changed and not travelled else {}
    if wanted and param and (step or param in st.query_params):
        wanted[param] = str(
            step
        )  # else the browser keeps it there: a write of ours could come when the page has changed
    update_url(wanted)
    return Position(step, seek)


def step_asked(key: str, trace: str, param: str = "step", linked: bool = False) -> int:
    """The step that `position` is going to find, as far as it can be known without the run's length.

    `linked` says that a link from another page brought settings and step.
    """
    state = st.session_state
    was: dict[str, Any] = state.get(f"{key}.position", {})
    if f"{key}.go_to" in state:
        return int(state[f"{key}.go_to"])
    if is_back() or linked or not was:
        return step_in_url(param) or 0
    return int(was["step"]) if was["trace"] == trace else 0


def step_in_url(param: str = "step") -> int | None:
    """The step that the URL says; None without one."""
    return _number(st.query_params.get(param))


def update_url(values: Mapping[str, str | None]) -> None:
    """Write parameters to the URL, None removing one, in a single change: each is an entry in the browser's history."""
    now = st.query_params.to_dict()
    wanted = {name: value for name, value in {**now, **values}.items() if value is not None}
    if wanted != now:
        # Right after a switch of pages, the browser may have taken the language along without Python's knowing.
        if chosen := st.session_state.get(CHOSEN):
            wanted["lang"] = chosen
        st.query_params.from_dict(wanted)


def is_back() -> bool:
    """Tell whether this run of the script comes from the browser's Back or Forward: then the URL is the truth."""
    return is_history_navigation()


def go_to(key: str, step: int) -> None:
    """Ask the flipbook under `key` to go to `step` at the next run: for callbacks of buttons and tables."""
    st.session_state[f"{key}.go_to"] = step


def flipbook(
    data: bytes, *, key: str, run: str, seek: tuple[int, int], on_step: Callable[[], None] | None = None
) -> int | None:
    """Mount the flipbook and return the step that the browser last reported, or None if it hasn't since the last seek.

    `data` comes from `packed`, and may have been packed with another `seek`: this one counts; `run` is the payload's. `key` names the component in
    `st.session_state`; `on_step` is called, before the script reruns, when the browser reports a step.
    """
    head = json.dumps({"seek": seek}).encode()
    result = component("flipbook", FLIPBOOK_STYLES)(
        key=key, data=head + b"\n" + data, on_step_change=on_step or ignore
    )
    return _reported(result, run, seek[1])


def standalone(
    title: str,
    data: bytes,
    *,
    language: str = "en",
    footer_html: str = "",
    terms: Mapping[str, tuple[str, str]] | None = None,
    projector: Mapping[str, str] | None = None,
) -> str:
    """Return one HTML file that holds a whole run and steps through it offline, from `file://`, a USB stick or an LMS.

    `data` comes from `payload` and must hold every frame of the run; `title` is plain text, `footer_html` trusted
    markup; `language` is the document's (BCP 47); `terms` holds name and definition of each term that frames mark;
    `projector` the words of projector mode (default: there is none), see `tokensteps.components.projector`. The file
    asks the network for nothing: its Content-Security-Policy allows its own scripts by hash, its own styles and `data:` fonts
    and images.

    Raises `ValueError` when frames are missing.
    """
    message = json.loads(data)
    if message["first"] != 0 or len(message["frames"]) != message["last"] + 1:
        raise ValueError(
            f"the payload holds steps {message['first']}..{message['first'] + len(message['frames']) - 1} of "
            f"0..{message['last']}; a standalone file needs them all: render range(last + 1)."
        )
    message["param"] = None
    scripts = [
        read_asset("components/flipbook.js") + _STANDALONE_SCRIPT,
        read_asset("components/terms.js") + _STANDALONE_TERMS,
    ]
    large, start = "", ""
    if projector is not None:
        scripts.append(read_asset("components/projector.js") + _STANDALONE_PROJECTOR)
        large = read_asset("page/projector.css")
        words = f'<script type="application/json" id="projector">{_json(dict(projector))}</script>'
        start = f'<div id="start-projector"></div>\n{words}\n'
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src 'unsafe-inline'; font-src data:; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    styles = "\n".join((read_asset("components/flipbook.css"), read_asset("page/style.css"), large)).replace(
        "</", "<\\/"
    )
    return (
        f'<!doctype html>\n<html lang="{markup.escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup.escape(title)}</title>\n<style>{_STANDALONE_STYLE}{MARK_STYLE}{read_asset('page/terms.css')}{large}</style>\n</head>\n<body>\n<main>\n"
        f"<header>\n<h1>{mark()}{markup.escape(title)}</h1>\n{start}</header>\n"
        f'<div id="book"><template shadowrootmode="open"><style>{styles}</style></template></div>\n'
        f"<footer>{footer_html}</footer>\n</main>\n"
        f'<script type="application/json" id="data">{_json(message)}</script>\n'
        f'<script type="application/json" id="terms">{_json({"terms": terms or {}})}</script>\n'
        + "".join(f'<script type="module">{one}</script>\n' for one in scripts)
        + "</body>\n</html>\n"
    )


def _json(message: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends the element."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(script: str) -> str:
    """A script as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _reported(result: Any, run: str, nonce: int) -> int | None:
    """Return the step in a component's state, unless the browser was at another run or hadn't followed a seek yet."""
    match result.get("step") if isinstance(result, Mapping) else None:
        case [str(of), int(step), int(after)] if (of, after) == (run, nonce):
            return step
    return None


def _number(text: str | None) -> int | None:
    """Read a step from a URL parameter: ASCII digits, at most nine of them; anything else counts as absent."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


_STANDALONE_SCRIPT: Final = """
const at = /^#(\\d+)$/.exec(location.hash), message = JSON.parse(document.getElementById("data").textContent);
if (at) message.seek[0] = +at[1];
flipbook({
  data: JSON.stringify(message), parentElement: document.getElementById("book").shadowRoot,
  setStateValue: (_, [, step]) => { try { history.replaceState(null, "", `#${step}`); } catch { /* a sandboxed frame */ } },
});
"""
_STANDALONE_TERMS: Final = """
terms({ data: JSON.parse(document.getElementById("terms").textContent) });
"""
_STANDALONE_PROJECTOR: Final = """
document[MAIN] = document.getElementById("book").shadowRoot.querySelector(".ts-flipbook");
projector({ data: JSON.parse(document.getElementById("projector").textContent), parentElement: document.getElementById("start-projector") });
"""
_STANDALONE_STYLE: Final = """
:root { color-scheme: light dark; background: light-dark(#fbfaf7, #14161a); color: light-dark(#1d1f23, #eceae5); }
:root:lang(ja) { word-break: auto-phrase; text-autospace: normal; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 18px 20px 28px; }
header { display: flex; justify-content: space-between; align-items: flex-start; gap: 16px; }
h1 { margin: 0 0 14px; font-size: 26px; font-weight: 680; letter-spacing: -.01em; overflow-wrap: anywhere; }
footer { margin-top: 14px; color: light-dark(#62625e, #a3a5a8); font-size: 13px; }
footer a { color: inherit; }
@media (max-width: 480px) { main { padding: 12px 10px 20px; } }
@media print {
  @page { margin: 13mm 12mm; }
  :root { color-scheme: light; background: #fff; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  #start-projector { display: none; }
}
html[data-projector] { --ts-stage: absolute; --ts-contain: size; overflow: hidden; }
html[data-projector] #book { position: fixed; inset: 0; }
html[data-projector] :is(header, footer) { visibility: hidden; }
"""
