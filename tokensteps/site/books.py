"""Runs as pages of a site: the flipbook of a training run, and under it the flipbook of a word's encoding:
Unigram's lattice."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

from tokenizers_core.errors import EmptyCorpusError
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.frame import Frame, packed, without_styles
from tokensteps.drawing.handout import DrawnRun, draw_steps, filled, json_in_page
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.tokens import readable
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.drawing.whatif import style_of
from tokensteps.language.i18n import _, count, listed, sentences
from tokensteps.language.labels import projector_labels
from tokensteps.language.messages import too_old
from tokensteps.language.names import run_name
from tokensteps.limits import SITE_ROOM, STEPS_SENT
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import RULES_OF, VIEWS
from tokensteps.runs.settings import Recipe, read_url, setting_text
from tokensteps.server.tasks import Progress
from tokensteps.site.layout import SitePage, relative

BOOKS: Final = "books.js"
"""The script of every page with a flipbook."""
NOT_IN_A_NAME: Final = frozenset({"corpus", "step", *(setting.name for setting in VIEWS)})
"""Parameters of an address that don't make another run."""


@dataclass(frozen=True)
class SiteRun:
    """A run in a site."""

    path: str
    """Its page, from the folder of a language."""
    recipe: Recipe
    title: str
    """Its corpus's name: a message if it is an example's, else the file's name."""

    @property
    def algorithm(self) -> str:
        return self.recipe.page

    @property
    def example(self) -> str:
        """The example with its corpus; "" for a file."""
        corpus = str(self.recipe["corpus"])
        return corpus if corpus in EXAMPLES else ""

    def corpus_title(self) -> str:
        """Its corpus's name, in the language in use."""
        return _(self.title) if self.example else self.title

    def trained_by(self) -> str:
        """The algorithm, or the newer kind of BPE."""
        return run_name(self.algorithm, self.recipe.values.get("kind", "plain"))

    def heading(self) -> str:
        """Its page's name."""
        return _("{algorithm}: {corpus}").format(algorithm=self.trained_by(), corpus=self.corpus_title())

    def choices(self) -> str:
        """The settings other than usual for its corpus, in the language in use; "" for none, and for a
        file."""
        chosen = own_choices(self.recipe) if self.example else {}
        return listed(
            setting_text(rule, chosen[rule.name]) for rule in self.recipe.rules if rule.name in chosen
        )


def own_choices(recipe: Recipe) -> dict[str, str]:
    """The rules other than usual for the recipe's corpus."""
    return {name: value for name, value in recipe.url().items() if value and name not in NOT_IN_A_NAME}


def example_run(algorithm: str, query: Mapping[str, str]) -> SiteRun:
    """The example's run at an address of the app."""
    recipe = read_url(algorithm, RULES_OF[algorithm], query).recipe
    others = [f"{name}-{value}" for name, value in own_choices(recipe).items()]
    name = "-".join([algorithm, recipe["corpus"], *others])
    return SiteRun(f"runs/{name}.html", recipe, EXAMPLES[recipe["corpus"]].title)


def file_run(algorithm: str, slug: str, name: str, data: bytes, size: int) -> SiteRun:
    """The run of a file: text or word counts."""
    recipe = read_url(algorithm, RULES_OF[algorithm], {"corpus": "upload", "size": str(size)}).recipe
    return SiteRun(f"runs/{algorithm}-{slug}.html", replace(recipe, file=(name, data)), name)


def train_here(recipe: Recipe) -> AnyTrace:
    """Train a run in this process. Raises the engine's errors."""
    run = ALGORITHMS[recipe.page].run(recipe)
    if run is None:
        raise EmptyCorpusError(characters=0)
    return run.task(Progress())


# --- the page -----------------------------------------------------------------------------------------------


def run_page(run: SiteRun, trace: AnyTrace) -> SitePage:
    """A run's page in the language in use."""
    about = _(EXAMPLES[run.example].about) if run.example else ""
    word = (EXAMPLES[run.example].word if run.example else "") or trace.corpus.words[0]
    books = [("", draw_training(trace, title=run.heading()))]
    if trace.ranked_by == "loss":
        books.append(draw_encoding(trace, 0, word))
    books.append(draw_encoding(trace, len(trace), word))
    body = filled(
        "site/run",
        title=escape(run.heading()),
        about=escape(sentences(about, run.choices())),
        books="\n".join(book_html(title, drawn, run.path) for title, drawn in books),
        data=books_data((drawn for _title, drawn in books), run.path, projector=True),
    )
    return SitePage(run.path, run.heading(), body, (BOOKS,))


def draw_training(trace: AnyTrace, step: int = 0, title: str = "") -> DrawnRun:
    """A training run, opened at `step`."""
    draw, style = STEP_KINDS[trace.ranked_by].frame, style_of(trace)
    return drawn_for_site(title, len(trace), lambda at: draw(trace[at], style), step)


def draw_encoding(trace: AnyTrace, step: int, word: str) -> tuple[str, DrawnRun]:
    """The encoding of a word after a step of a run, with its title."""
    draw, style = STEP_KINDS[trace.ranked_by].encoding_frame, style_of(trace)
    story: Any = trace.tokenizer(step).explain(word[:LATTICE_CHARACTERS])
    title = _("{word}, encoded after step {step}").format(word=readable(word, style), step=count(step))
    last = min(len(story), STEPS_SENT)
    return title, drawn_for_site(title, last, lambda at: draw(story[at], style), called=title)


def drawn_for_site(
    title: str, last: int, frame: Callable[[int], Frame], step: int = 0, called: str = ""
) -> DrawnRun:
    """Steps within the room and the policy of a site's pages."""
    return draw_steps(title, last, lambda at: without_styles(frame(at)), step, SITE_ROOM, called)


def book_html(title: str, drawn: DrawnRun, path: str) -> str:
    """A flipbook on the page at `path`, with its frames, compressed; `title`, plain text, is over it."""
    return filled(
        "site/book",
        assets=relative(f"en/{path}", "assets"),
        title=f"<h2>{escape(title)}</h2>" if title else "",
        old=escape(too_old()),
        frames=base64.b64encode(packed(drawn.data)).decode(),
        remark=escape(drawn.remark),
    )


def books_data(drawn: Iterable[DrawnRun], path: str, projector: bool = False) -> str:
    """Data for the scripts of the page at `path` about its flipbooks: the terms to mark; the words of
    projector mode."""
    terms = {name: text for one in drawn for name, text in one.terms.items()}
    glossary = {"more": _("Glossary"), "href": f"{relative(path, 'glossary.html')}#term-"}
    return filled(
        "site/books",
        terms=json_in_page({"terms": dict(sorted(terms.items())), **glossary}),
        projector=json_in_page(projector_labels() if projector else None),
    )


# --- links into it ------------------------------------------------------------------------------------------


def site_path(runs: Sequence[SiteRun], page: str, query: Mapping[str, str]) -> str | None:
    """The page of a site, and its step, with the same content as an address of the app; None if the site has
    none."""
    if page in ("errata", "glossary"):
        return f"{page}.html"
    if page == "exercises":
        return "index.html#exercises"
    if page not in RULES_OF or query.get("corpus") not in EXAMPLES:
        return None
    path = example_run(page, query).path
    step = f"#{query['step']}" if query.get("step", "0") != "0" else ""
    return path + step if any(run.path == path for run in runs) else None
