"""The source of the corpus: the part of a sidebar with the examples, the boxes for text and word counts, and
the upload."""

from __future__ import annotations

import streamlit as st

from tokensteps.language.i18n import _, ngettext
from tokensteps.limits import PASTE_LIMIT, UPLOAD_LIMIT
from tokensteps.runs.corpora import EXAMPLES, OWN, Source, plain_text
from tokensteps.runs.settings import corpus_title
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.page_state import PageState


def corpus_input(page: PageState) -> Source | None:
    """Choose a corpus, or type or upload a new one; None while there is nothing to read yet.

    A box with text is here; an empty or blank one is on the page itself, drawn by `empty_box`.
    """
    st.selectbox(
        _("Corpus"),
        (*EXAMPLES, *OWN),
        format_func=corpus_title,
        key=page.key("corpus"),
        on_change=page.load_corpus_defaults,
        persist_state="session",
    )
    match page["corpus"]:
        case "upload":
            return uploaded_file(page)
        case "paste" | "counts":
            return typed_text(page)
        case example:
            st.caption(_(EXAMPLES[example].about))
            return page.recipe().source()


def empty_box(page: PageState) -> bool:
    """The box for a text or word counts while it has no words: on the page, as a sidebar may be folded away;
    whether there is one. Blanks alone, and the button without a text, get a sentence there."""
    if page["corpus"] not in ("paste", "counts") or page.own_text().strip():
        return False
    text = own_text_box(page)
    if plain_text(text).strip():  # a new server gets it from the browser only once the box is drawn
        st.rerun()
    if st.button(_("Train on this text"), key=page.key("train"), type="primary") or text:
        counts = page["corpus"] == "counts"
        problem(
            _("Write or paste words with their counts first.")
            if counts
            else _("Write or paste a text first.")
        )
    return True


def own_text_box(page: PageState) -> str:
    """The box for a text or word counts, and its contents: wherever it is drawn, it is the same one."""
    label, placeholder = _("Your text"), _("Paste a page of text …")
    if page["corpus"] == "counts":
        label, placeholder = _("One word per line, a space, and how often it occurs"), "hug 10\npug 5"
    key = page.key(f"{page['corpus']}_text")
    return st.text_area(label, key=key, height=180, persist_state="session", placeholder=placeholder)


def typed_text(page: PageState) -> Source | None:
    """A text or word counts, and the box to change them; None if they can't be used, with a complaint."""
    text = page.own_text()
    if not text.strip():
        return None
    own_text_box(page)
    if len(text) > PASTE_LIMIT:
        message = _(
            "The text has {size} characters, but the limit is {limit}: shorten it, or upload it as a file."
        )
        page.complain(message, size=len(text), limit=PASTE_LIMIT)
        return None
    if "\ufffd" in text:
        message = ngettext(
            "The text contains U+FFFD {size} time: it replaces something that was not a character, such as "
            "half of a UTF-16 pair. If you didn't mean that, paste the text again from its source.",
            "The text contains U+FFFD {size} times: it replaces something that was not a character, such as "
            "half of a UTF-16 pair. If you didn't mean that, paste the text again from its source.",
            text.count("\ufffd"),
        )
        page.complain(message, size=text.count("\ufffd"))
    return page.recipe().source()


def uploaded_file(page: PageState) -> Source | None:
    """The box for a file, with the file kept while the learner looks at other corpora; None if it can't be
    used, with a complaint."""
    file = st.file_uploader(
        _("A text file, or word counts as .csv or .tsv"),
        type=["txt", "csv", "tsv"],
        key=page.key("file"),
        max_upload_size=UPLOAD_LIMIT // 1_000_000,
        help=_("For a larger text, upload the word counts that `python -m tokensteps count` makes of it."),
    )
    if file is not None and file.size > UPLOAD_LIMIT:  # the browser's megabytes are larger
        message = _(
            "The file has {size} bytes, but the limit is {limit}: upload part of it, or its word counts."
        )
        page.complain(message, size=file.size, limit=UPLOAD_LIMIT)
        file = None
    if file is not None and not page.take_file(file.name, file.getvalue(), file.file_id):
        file = None
    name, data = page.own_file()
    if not name:
        return None
    if data is None:
        page.complain(_("This server no longer has the text of this link: paste or upload it again."))
        return None
    if not data.strip():
        message = ngettext(
            "The file has {size} byte and no words: choose another one.",
            "The file has {size} bytes and no words: choose another one.",
            len(data),
        )
        page.complain(message, size=len(data))
        return None
    if file is None:
        note(_("Using {name}, uploaded earlier.").format(name=name))
    return page.recipe().source()
