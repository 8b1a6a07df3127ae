"""Runs, steps, encodings and lattices in a notebook: after ``import tokensteps.notebook`` each shows itself.

    trace = train_bpe(corpus, vocab_size=50)
    trace                                # the flipbook, in the notebook
    trace[7]                             # one step
    trace.tokenizer().encode("hugs")     # the tokens as chips
    show(trace, step=7, height=480)
    trace.to_pandas()                    # its steps as a table

It works wherever objects can draw themselves by ``_repr_html_``: Jupyter, VS Code, Colab, marimo. The output
is a document of its own in a sandboxed frame, with the policy of a handout: it can ask nobody for anything
and knows nothing of the notebook around it. The engine knows nothing of all this: this module gives its
classes the methods.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping
from html import escape
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final

from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.encoding.models.bpe import EncodingSnapshot
from tokenizers_core.encoding.models.lattice import Lattice, ViterbiSnapshot
from tokenizers_core.encoding.models.wordpiece import MatchSnapshot
from tokenizers_core.errors import SettingError, refuse_wrong_type
from tokenizers_core.files.exports import prunes_to_csv, trace_to_csv
from tokenizers_core.trace import ByContent, Trace
from tokenizers_core.training.comparison import SizeSnapshot
from tokenizers_core.training.merge_trace import MergeSnapshot, MergeTrace
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceSnapshot
from tokensteps.assets import read_asset
from tokensteps.drawing.comparison import compare_frame
from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.handout import filled, handout, still_page
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.stage_markup import token_count
from tokensteps.drawing.still.plain_frame import plain_frame
from tokensteps.drawing.still.used_styles import used_styles
from tokensteps.drawing.tokens import PLAIN, TOKEN_SHOWN, Style, chips, readable
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.i18n import _, count
from tokensteps.language.names import trace_name
from tokensteps.limits import HANDOUT_STEPS

if TYPE_CHECKING:
    import pandas as pd

HEIGHT: Final = 780
"""Pixels of a run or a step, in a notebook with 800 pixels left in width; a frame scrolls if it needs
more."""
HEIGHT_OF: Final[Mapping[type, int]] = {ViterbiSnapshot: 830, Encoding: 220}
"""Pixels of a lattice, and of an encoding of one line."""
NOTEBOOK_ROOM: Final = 4_000_000
"""Bytes of frames in a notebook's cell: the notebook's file keeps them, and every save sends all of it.
Drawing them takes a second or two, also for a run of 20,000 steps on 60,000 words."""
NOTEBOOK_STEP: Final = 20_000
"""Bytes of one step in a notebook's cell: a notebook shows many, and its file keeps them all."""
NOTEBOOK_ENCODING: Final = 10_000
"""Bytes of an encoding in a notebook's cell: for the same reason; it shows as many tokens as fit."""
NOTEBOOK_TOKENS: Final = 1_000
"""Tokens of an encoding in a notebook's cell: more have no room, however short they are."""
NOTEBOOK_TEXT: Final = 3_000
"""Bytes of the text beside a frame: for viewers without frames, and a part of the bytes of the step or
encoding."""
KEYS: Final = "keys"
"""The script of each frame: it leaves the keys for saving to the notebook."""
FOR_SCRIPTS: Final = re.compile(
    r'<div class="facts".*?</div></div>(?=</section>)|<li class="w beyond.*?</li>'
    r'| (?:class="term" role="button" tabindex="0" data-term|data-(?:pick|of|code|values))=(?:"[^"]*"|[^\s>]+)',
    re.DOTALL,
)
"""Parts of a frame for scripts only."""
CHIP: Final = '<bdi class="t [^>]*>'
LETTER: Final = "(?:<bdi class=x>[^<]*</bdi>|&[^;<]*;|[^<&])"
"""The beginning of a token's chip in a frame's markup, and one character in it."""
IN_QUOTES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", "'": "&#39;"})
"""Characters to escape within single quotes: double ones are many in a page, and stay as they are."""
STEP_FRAMES: Final[Mapping[type, Callable[[Any, Style], Frame]]] = {
    MergeSnapshot: merge_frame,
    WordPieceSnapshot: wordpiece_frame,
    UnigramSnapshot: prune_frame,
    SizeSnapshot: compare_frame,
    ViterbiSnapshot: lattice_frame,
    EncodingSnapshot: encoding_frame,
    MatchSnapshot: match_frame,
}
"""The function to draw each kind of step."""


class InNotebook:
    """The result of `show`: a notebook displays it, a terminal prints its content."""

    def __init__(self, what: object, step: int, height: int | None) -> None:
        self._what, self._step, self._height = what, step, height

    def _repr_html_(self) -> str:
        return html(self._what, self._step, self._height)

    def __repr__(self) -> str:
        return repr(self._what)


def show(what: object, step: int = 0, height: int | None = None) -> InNotebook:
    """Show a run, opened at `step` (negative ones count from the end), in a frame of `height` pixels
    (default: `HEIGHT` or `HEIGHT_OF`'s); or a step, an encoding, a lattice.

    Raises TypeError for anything else, IndexError for a step not in the run, and SettingError for a frame
    without height.
    """
    _refuse_unshowable(what, step, height)
    step = int(step)  # NumPy's whole numbers can't be written as JSON
    if isinstance(what, Trace):
        step = what[step].step if step < 0 or step > len(what) else step
    return InNotebook(what, step, height)


def _refuse_unshowable(what: object, step: int, height: int | None) -> None:
    """Refuse what can't be shown, or not in this way."""
    if not isinstance(what, tuple(SELF_SHOWING)):
        raise TypeError(
            f"{type(what).__name__} can't be shown; give a trace, one of its steps, an encoding or a lattice."
        )
    refuse_wrong_type("step", step, Integral, "give a whole number; 0 is the start, and -1 the last step")
    if height is not None:
        refuse_wrong_type("height", height, Real, "give a number of pixels, such as 300")
        if not 1 <= height < math.inf:
            raise SettingError(name="height", value=height, reason="choose at least 1 pixel, such as 300")


def html(what: object, step: int = 0, height: int | None = None) -> str:
    """The sandboxed frame around it, as markup, with all it needs. Viewers without frames show a note and a
    plain picture. Raises the errors of `show`."""
    _refuse_unshowable(what, step, height)
    step = int(step)
    match what:
        case Encoding():
            shown = min(len(what), NOTEBOOK_TOKENS)
            while len((cell := _encoding(what, shown, height)).encode()) > NOTEBOOK_ENCODING and shown > 1:
                shown = shown * 4 // 5
            return cell
        case Lattice():
            return html(what.viterbi(), len(what.viterbi()), height)
        case Trace() if step <= HANDOUT_STEPS:
            return _in_frame(_run(what, step), what[step], _drawn(what[step]).html, height)
        case Trace():
            return html(what[step], height=height)
    frame = _drawn(what)
    for width in (TOKEN_SHOWN, 60, 8):  # letters of a token: with thousands in it, no frame would be small
        frame = frame._replace(html=re.sub(rf"({CHIP}{LETTER}{{{width}}}){LETTER}+", r"\1…", frame.html))
        cell = _in_frame(_still(what, frame), what, frame.html, height)
        if len(cell.encode()) <= NOTEBOOK_STEP:
            break
    return cell


def _in_frame(page: str, what: object, drawn: str, height: int | None) -> str:
    """A page of a step or an encoding in its frame, and its drawing as text, for viewers that take frames
    out."""
    name, usual = _heading(what), HEIGHT_OF.get(type(what), HEIGHT)
    note = _(
        "TokenSteps shows {name} here, in a notebook that you trust: run the cell, or choose “Trust Notebook” (JupyterLab: in the command palette)."
    )
    styles = read_asset("handout/inline.css")
    return filled(
        "inline",
        styles=used_styles(styles, styles),
        title=escape(name),
        page=page.translate(IN_QUOTES),
        height=str(int(height or usual)),
        note=escape(note.format(name=name)),
        still=plain_frame(drawn, NOTEBOOK_TEXT),
        saving=_saving(),
    )


def _saving() -> str:
    """The markup beside a frame for the keys that save."""
    return filled("saving", script=read_asset("handout/saving.js"))


def _marimo(what: Any) -> tuple[str, str]:
    """The first method that marimo asks for. It puts markup with a script in a frame of its own, out of its
    theme's reach."""
    return "text/html", what._repr_html_().replace(_saving(), "")


def to_pandas(trace: MergeTrace | UnigramTrace) -> pd.DataFrame:
    """A run as a table, one row per step: the columns are those of `python -m tokensteps trace --format csv`.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> table = to_pandas(train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12}), merges=2))
    >>> table[["first", "second", "token", "freq"]].values.tolist()
    [['p', 'u', 'pu', 17], ['pu', 'n', 'pun', 12]]
    """
    import pandas as pd  # here, as showing needs no tables

    refuse_wrong_type("trace", trace, (MergeTrace, UnigramTrace), "give a whole run, as train_bpe returns it")
    if isinstance(trace, UnigramTrace):
        table = prunes_to_csv(trace, plain=True)
    else:
        table = trace_to_csv(trace, plain=True)
    texts = dict.fromkeys(("first", "second", "token", "piece", "kind", "language"), "str")
    # A token may well be “NA”: nothing stands for a missing text.
    numbers = {name: [""] for name in ("loss", "corpus_loss", "round", "position")}
    return pd.read_csv(io.StringIO(table, newline=""), dtype=texts, keep_default_na=False, na_values=numbers)


def _run(trace: Trace[Any], step: int) -> str:
    """A run's page."""
    start = trace[0]
    draw, style = _drawing(start), _style(start)
    return handout(
        _heading(start), len(trace), lambda at: draw(trace[at], style), step, NOTEBOOK_ROOM, [KEYS]
    )


def _still(snapshot: Any, frame: Frame) -> str:
    """The page of one step."""
    name = _heading(snapshot)
    if isinstance(snapshot, ByContent):
        name = f"{name} · {_('Step {step}').format(step=count(snapshot.step))} / {count(len(snapshot.trace))}"
    styles = ("page/style.css", "handout/still.css")
    return still_page(name, "still", styles, KEYS, status=escape(frame.status), frame=frame.html)


def _drawn(snapshot: Any) -> Frame:
    """A step's frame, without the parts for scripts only."""
    frame = _drawing(snapshot)(snapshot, _style(snapshot))
    return frame._replace(html=FOR_SCRIPTS.sub("", frame.html))


def _encoding(encoding: Encoding, shown: int, height: int | None) -> str:
    """An encoding's cell: its first tokens and their ids."""
    drawn, remark = chips(encoding.tokens[:shown], PLAIN), ""
    if shown < len(encoding):
        remark = _("The first {shown} of {all} tokens.").format(shown=count(shown), all=count(len(encoding)))
    page = still_page(
        _heading(encoding),
        "tokens-still",
        ("page/style.css", "components/chips.css", "handout/tokens.css"),
        KEYS,
        remark=escape(remark),
        chips=drawn,
        ids=", ".join(map(str, encoding.ids[:shown])),
    )
    return _in_frame(page, encoding, f"<p>{drawn}</p>", height)


def _drawing(snapshot: Any) -> Callable[[Any, Style], Frame]:
    return next(STEP_FRAMES[kind] for kind in type(snapshot).__mro__ if kind in STEP_FRAMES)


def _style(snapshot: Any) -> Style:
    """How the run's tokens are shown; a word's own encoding doesn't know how its tokenizer writes bytes."""
    match snapshot:
        case ByContent():
            trace: Any = snapshot.trace
            return Style(trace.corpus.pipeline.byte_level, special_tokens=frozenset(trace.special_tokens))
    return PLAIN


def _heading(snapshot: Any) -> str:
    """A step's subject: the algorithm, or the word; of an encoding the number of tokens."""
    match snapshot:
        case Encoding():
            return token_count(len(snapshot))
        case SizeSnapshot():
            return _("Compare")
        case ByContent():
            trace: Any = snapshot.trace
            return trace_name(trace)
        case ViterbiSnapshot(lattice=lattice):
            return lattice.text
        case MatchSnapshot(tokens=tokens, rest=rest):
            return readable("".join(tokens) + rest)
    return readable("".join(snapshot.tokens))


SELF_SHOWING: Final = (Encoding, Lattice, Trace, *STEP_FRAMES)
"""The types that show themselves in a notebook."""
for _kind in (*SELF_SHOWING, InNotebook):
    _kind._mime_ = _marimo  # type: ignore[attr-defined]
for _kind in SELF_SHOWING:
    _kind._repr_html_ = html  # type: ignore[attr-defined]
for _kind in (MergeTrace, UnigramTrace):
    _kind.to_pandas = to_pandas  # type: ignore[union-attr]
