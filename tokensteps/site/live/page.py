"""The page “Try” of a site: a form, and the places for the browser's results."""

from __future__ import annotations

from html import escape
from typing import Final

from tokensteps.drawing.handout import filled, json_in_page
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import _
from tokensteps.language.messages import too_old
from tokensteps.language.names import ALGORITHM_NAMES, choice_name
from tokensteps.limits import ENCODE_LIMIT
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import RULES_OF, SIZE, SPLIT
from tokensteps.site.layout import SITE_POLICY, SitePage, relative
from tokensteps.site.live.live_files import LIVE, TRY, WORKER

TRY_PAGE: Final = "try.html"
TRY_POLICY: Final = (
    SITE_POLICY.replace("script-src", "script-src 'wasm-unsafe-eval'") + "; worker-src 'self' blob:"
)
"""A site's policy, and WebAssembly and a worker, from `file://` one of the page's own: it still asks nobody
for anything."""
USUAL_SIZE: Final = 100
"""The page's first number of tokens."""
FIRST_TEXT: Final = "course"
"""The example with the first text."""


def try_page() -> SitePage:
    """The page in the language in use."""
    lead = _("Train on a text of your own. Everything happens in your browser: the text isn't sent anywhere.")
    body = filled(
        "site/live/try",
        title=escape(try_title()),
        lead=escape(lead),
        text=escape(_("Text")),
        example=escape(EXAMPLES[FIRST_TEXT].text()),
        algorithm=escape(_("Algorithm")),
        algorithms="".join(option_html(name, title) for name, title in ALGORITHM_NAMES.items()),
        splits="\n".join(map(pre_html, RULES_OF)),
        size=escape(_(SIZE.label)),
        most=str(SIZE.most),
        usual=str(USUAL_SIZE),
        train=escape(_("Train")),
        stop=escape(_("Stop")),
        loading=escape(_("Python is loading …")),
        encode=escape(_("Encode")),
        word=escape(_("Word")),
        save=escape(_("Save the run as JSON")),
        book=filled("site/live/book", assets=relative(f"en/{TRY_PAGE}", "assets"), old=escape(too_old())),
        words=json_in_page(try_words()),
        terms=json_in_page({"terms": definitions(), "more": _("Glossary"), "href": "glossary.html#term-"}),
    )
    return SitePage(TRY_PAGE, try_title(), body, (TRY, WORKER, LIVE), policy=TRY_POLICY)


def try_title() -> str:
    """The page's name."""
    return _("Your own text")


def pre_html(algorithm: str) -> str:
    """An algorithm's ways to split, with its usual one chosen at first."""
    rule = next(rule for rule in RULES_OF[algorithm] if rule.name == SPLIT.name)
    options = "".join(
        option_html(choice, choice_name(rule.name, choice), choice == rule.default) for choice in rule.choices
    )
    return filled("site/live/choice", algorithm=algorithm, label=escape(_(rule.label)), options=options)


def option_html(value: str, title: str, chosen: bool = False) -> str:
    """One choice; `value` is a name of ours, `title` plain text."""
    return f'<option value="{value}"{" selected" if chosen else ""}>{escape(title)}</option>'


def try_words() -> dict[str, str | int]:
    """The script's words, and the number of characters of the text to encode at first."""
    return {
        "loading": _("Python is loading …"),
        "ready": _("Ready."),
        "training": _("Training: step {number} …"),
        "trained": _("Trained in {seconds} s."),
        "failed": _(
            "This didn't work: the browser has too little memory, or the site lacks assets/live.js. Reload the page to try again. Safari needs a web server for it: opened as a file, the page can't train."
        ),
        "refused": _(
            "The web server's Content-Security-Policy forbids WebAssembly, which this page needs: let it say script-src 'self' 'wasm-unsafe-eval'."
        ),
        "old": _(
            "This browser can't run this page; a current Chrome, Edge, Firefox or Safari can. All other pages work here, too."
        ),
        "encode": ENCODE_LIMIT,
    }
