"""Standalone pages: one HTML file each, without any network requests.

The templates, styles and scripts are the files of `assets/handout/`. Titles are plain text and escaped here;
every other part of a page is trusted markup: the caller escapes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from string import Template
from typing import Any, Final, NamedTuple

from tokensteps.assets import read_asset, read_script
from tokensteps.drawing.frame import Frame, packed, payload
from tokensteps.drawing.mark import mark
from tokensteps.drawing.stage_markup import more_html
from tokensteps.drawing.still.used_styles import used_styles
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import _, count, language_tag
from tokensteps.language.labels import flipbook_labels, projector_labels
from tokensteps.language.marks import marks_in
from tokensteps.limits import HANDOUT_STEPS

PAPER_STEPS: Final = 200
"""The most steps of a handout for paper: about fifty pages."""

NO_NETWORK: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of a page without scripts: only the styles within it."""


class DrawnRun(NamedTuple):
    """A run, drawn for a page without a server."""

    data: bytes
    """The payload, with every frame of the page."""
    remark: str
    """The number of those steps, if not all of the run's: plain text."""
    terms: dict[str, tuple[str, str]]
    """The marked terms of its frames: name and definition."""
    last: int
    """The last drawn step."""


def filled(template: str, **parts: str) -> str:
    """Return `assets/handout/<template>.html` with `parts` in its named places; a template of another folder
    of `assets/` has that folder in its name, as in "site/page".

    >>> print(filled("run-projector", words="{}"))
    <div id="start-projector"></div>
    <script type="application/json" id="projector">{}</script>

    Raises `KeyError` when a part is missing.
    """
    position = template if "/" in template else f"handout/{template}"
    return Template(read_asset(f"{position}.html")).substitute(parts).rstrip("\n")


def standalone_page(
    template: str,
    title: str,
    *,
    language: str,
    styles: Sequence[str],
    policy: str = NO_NETWORK,
    **parts: str,
) -> str:
    """Return a whole document around `assets/handout/<template>.html`.

    `title` is plain text, `language` the document's (BCP 47), `styles` names the style sheets in `assets/`,
    `policy` is the Content-Security-Policy, and `parts` are the template's other parts, beside the title.
    """
    heading = escape(title)
    return filled(
        "page",
        language=escape(language),
        policy=policy,
        title=heading,
        styles="\n".join(map(read_asset, styles)),
        body=filled(template, title=heading, **parts),
    )


def handout(
    title: str,
    last: int,
    frame: Callable[[int], Frame],
    step: int = 0,
    room: float = math.inf,
    also: Sequence[str] = (),
) -> str:
    """The self-contained HTML file of a run, as `draw_steps` draws it; `also` names more scripts of
    `assets/handout/`."""
    run = draw_steps(title, last, frame, step, room)
    return standalone_run(
        title,
        run.data,
        language=language_tag(),
        footer_html=escape(run.remark),
        terms=run.terms,
        projector=projector_labels(),
        also=also,
    )


def still_page(title: str, template: str, styles: Sequence[str], also: str, **parts: str) -> str:
    """A page with nothing to step through, as small as possible: compressed, with only the styles in use.
    `also` is one more script of `assets/handout/`."""
    script = read_asset("handout/unpack.js") + read_asset(f"handout/{also}.js")
    body = filled(template, title=escape(title), **parts)
    used = used_styles("\n".join(map(read_asset, styles)), f"{body} root host lang")
    data = packed(f"<style>{used}</style>{body}".encode("utf-8", "replace"))
    return filled(
        "page",
        language=escape(language_tag()),
        policy=NO_NETWORK.replace("style-src", f"script-src {_hash(script)}; style-src"),
        title=escape(title),
        styles="",
        body=filled("packed", data=base64.b64encode(data).decode(), script=script),
    )


def draw_steps(
    title: str,
    last: int,
    frame: Callable[[int], Frame],
    step: int = 0,
    room: float = math.inf,
    called: str = "",
) -> DrawnRun:
    """A run in the language in use, its first `HANDOUT_STEPS` steps if it is longer, to be opened at `step`;
    `called` tells its flipbook from others on the page.

    Where it is to be small, it holds no more steps than have `room`, in bytes of their frames within an
    attribute; the start always has.
    """
    frames: list[Frame] = []
    for one in map(frame, range(min(last, HANDOUT_STEPS) + 1)):
        if room < math.inf:
            room -= len(escape(json_in_page(one._asdict())).encode("utf-8", "replace"))
        if frames and room < 0:
            break
        frames.append(one)
    shown = len(frames) - 1
    remark = ""
    if shown < last:
        remark = _("The first {shown} of {last} steps.").format(shown=count(shown), last=count(last))
    terms = definitions({term for one in frames for term in marks_in(one.html)})
    labels = flipbook_labels(called)
    if shown < last:
        part = _("Step {step} of the first {last} of {all}").replace("{all}", count(last))
        labels = {**labels, "step": part}
    data = payload(title, shown, 0, frames, (min(step, shown), 1), labels)
    return DrawnRun(data, remark, dict(sorted(terms.items())), shown)


_MORE: Final = re.compile(r'<p class="more" data-more="(\d+)">[^<]*</p>')


def paper_handout(title: str, last: int, frame: Callable[[int], Frame], *others: tuple[str, Frame]) -> str:
    """A run for paper: its first `PAPER_STEPS` steps, several to a page, and then other frames, each with its
    title. The words hidden on a stage for lack of room are shown, and not counted."""
    shown = min(last, PAPER_STEPS)
    footer = ""
    if shown < last:
        footer = _("The first {shown} of {last} steps.").format(shown=count(shown), last=count(last))
    name = _("Step {step}")
    drawn = [(name.format(step=count(step)), frame(step)) for step in range(shown + 1)]
    return standalone_page(
        "steps",
        title,
        language=language_tag(),
        styles=("page/style.css", "handout/steps.css", "handout/mark.css"),
        mark=mark(),
        steps="\n".join(
            f'<section class="step"><h2>{escape(head)}<span>{escape(one.status)}</span></h2>'
            f'<div data-beat="2">{_MORE.sub(lambda more: more_html(int(more[1])), one.html)}</div></section>'
            for head, one in (*drawn, *others)
        ),
        footer=escape(footer),
    )


def standalone_run(
    title: str,
    data: bytes,
    *,
    language: str = "en",
    footer_html: str = "",
    terms: Mapping[str, tuple[str, str]] | None = None,
    projector: Mapping[str, Any] | None = None,
    also: Sequence[str] = (),
) -> str:
    """Return one HTML file to step through a whole run offline, from `file://`, a USB stick or an LMS.

    `data` comes from `payload` and must hold every frame of the run; `title` is plain text, `footer_html`
    trusted markup; `language` is the document's (BCP 47); `terms` holds name and definition of each marked
    term in the frames; `projector` are the words of projector mode, as in `projector_labels` (default: no
    projector mode). The file's Content-Security-Policy allows its own scripts by hash, its own styles, and
    `data:` fonts and images.

    Raises `ValueError` when frames are missing.
    """
    message = json.loads(data)
    if message["first"] != 0 or len(message["frames"]) != message["last"] + 1:
        raise ValueError(
            f"the payload holds steps {message['first']}..{message['first'] + len(message['frames']) - 1} of "
            f"0..{message['last']}; a standalone file needs them all: render range(last + 1)."
        )
    message["param"] = None
    scripts = [_script("flipbook", "run"), _script("terms", "run-terms")]
    scripts += [read_asset(f"handout/{name}.js") for name in also]
    large, start = [], ""
    if projector is not None:
        scripts.append(_script("projector", "run-projector"))
        large = ["page/projector.css"]
        start = filled("run-projector", words=json_in_page(dict(projector)))
    inner = ("components/flipbook.css", "page/style.css", *large)
    return standalone_page(
        "run",
        title,
        language=language,
        styles=("handout/run.css", "handout/mark.css", "page/terms.css", *large),
        policy=(
            f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src 'unsafe-inline'; "
            "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        mark=mark(),
        projector=start,
        frame_styles="\n".join(map(read_asset, inner)).replace("</", "<\\/"),
        footer=footer_html,
        data=json_in_page(message),
        terms=json_in_page({"terms": terms or {}}),
        scripts="\n".join(f'<script type="module">{script}</script>' for script in scripts),
    )


def _script(component: str, start: str) -> str:
    """A component's script, and the lines of `assets/handout/` that start it."""
    return f"{read_script(component)}\n{read_asset(f'handout/{start}.js')}"


def json_in_page(message: Any) -> str:
    """JSON for a script element: nothing in it ends the element."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(script: str) -> str:
    """A script as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
