"""Home: what this is, and where to begin."""

import streamlit as st

from tokenizers_core import Corpus, train_bpe
from ui.cache import remembered
from ui.corpora import EXAMPLES
from ui.i18n import _, current_language
from ui.tokens import Style, chips, fill

STYLE = Style(byte_level=True)
STAGES = (0, 6, 12, 19)
WORDS = ("Ġtokenization", "Ġtokenizer", "Ġtokens")


def growing_words() -> str:
    """Three words of the course's sentences at four steps of their training."""
    lines = EXAMPLES["course"].text().splitlines()
    trace = train_bpe(Corpus.from_texts(lines), 50, special_tokens=("<|endoftext|>",))
    rows = []
    for step in STAGES:
        name = fill(_("step {step}"), step=str(step))
        splits = trace[step].splits(WORDS)
        words = "".join(f'<span class="row">{chips(splits[word], STYLE)}</span>' for word in WORDS)
        rows.append(f'<span class="n">{name}</span><span class="row wide">{words}</span>')
    return f'<div class="ts story">{"".join(rows)}</div>'


st.title("TokenSteps")
lead = _(
    "Language models read tokens: pieces of words learned from text. See how the pieces are learned, one step at a time, "
    "on any text, with the true numbers at every step."
)
st.html(f'<div class="ts"><p class="lead">{fill(lead)}</p></div>')
st.html(remembered(("home.growing", current_language()), growing_words))
st.page_link(
    "pages/train/bpe.py", label=_("Step through BPE on four sentences"), query_params={"corpus": "course"}
)
st.page_link(
    "pages/train/bpe.py",
    label=_("Five words, by hand: hug, pug, pun, bun, hugs"),
    query_params={"corpus": "hug"},
)
st.page_link(
    "pages/train/wordpiece.py",
    label=_("The same words with WordPiece: why the most frequent pair loses"),
    query_params={"corpus": "hug"},
)
st.page_link(
    "pages/train/unigram.py",
    label=_("Unigram: start from many pieces, and prune what the corpus misses least"),
    query_params={"corpus": "hug"},
)
st.page_link(
    "pages/train/bpe.py", label=_("Train on a page of your own text"), query_params={"corpus": "paste"}
)
st.page_link("pages/explore/playground.py", label=_("Paste a text and see its tokens"))
st.page_link(
    "pages/explore/compare.py", label=_("The three algorithms side by side, at every vocabulary size")
)
st.page_link(
    "pages/explore/pipeline.py",
    label=_("One text through the whole pipeline, from characters to ids and back"),
)
st.page_link("pages/explore/renew.py", label=_("A new tokenizer from an old one, for other text"))
