"""The tabs under the pipeline: the whole encoding, windows, entities, files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from tokenizers_core import Encoding, Tokenizer
from tokenizers_core.encoding.tasks import Entity, group_entities
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.components.address import page_address
from tokensteps.drawing.pipeline.windows import WINDOWS_DRAWN, AnswerRange, windows_html
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.messages import explained
from tokensteps.limits import PASSAGE_LIMIT, WINDOWS_LIMIT
from tokensteps.pages.explore.pipeline_view import PipelineView
from tokensteps.server.stores import digest
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.downloads import show_address, show_link, show_tokenizer_files
from tokensteps.widgets.figures import save_rows, show_rows
from tokensteps.widgets.notes import note, problem

ENTITY_LABELS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")
"""Labels of tokens: B- at an entity's beginning, I- inside it, and O for none."""
NAMED_ENTITIES: Mapping[str, str] = {"Sylvain": "PER", "Hugging Face": "ORG", "Brooklyn": "LOC"}
"""The entities of the example, and their kinds."""


# --- The encoding -------------------------------------------------------------------------------------------


def encoding_tab(view: PipelineView) -> None:
    """All parts of the encoding, and the maps between characters, words and tokens."""
    show_rows(encoding_table(view), key=view.key("encoding"), ids=True)
    st.caption(
        _(
            "Offsets count characters of the original text; the end is the one after the last. A template's "
            "tokens belong to no sequence and no word. Attention is 0 only for padding: see the Windows tab."
        )
    )
    st.header(_("From characters to tokens and back"), anchor=False)
    left, right = st.columns([1, 2])
    sequence = 0
    if len(view.texts) > 1:
        sequence = left.segmented_control(
            _("In text"),
            (0, 1),
            format_func=lambda one: "AB"[one],
            key=view.key("map.text"),
            persist_state="session",
            default=0,
            required=True,
        )
    text = view.texts[sequence]
    if not text:
        note(_("The text is empty, so there is no character to look up."))
        return
    position = left.number_input(
        _("Character"),
        value=0,
        step=1,
        key=view.key(f"map.{sequence}"),
        persist_state="session",
        help=_("Counted from 0."),
    )
    if not 0 <= position < len(text):
        message = _("Character: {value} is out of range; choose a number from {least} to {most}.")
        problem(message.format(value=position, least=0, most=len(text) - 1))
        return
    right.code(maps_text(view.encoding, int(position), sequence), language="python")


def encoding_table(view: PipelineView) -> pd.DataFrame:
    """One row per token, with every field of the encoding."""
    encoding = view.encoding
    rows = []
    for index, identifier in enumerate(encoding.ids):
        start, end = encoding.offsets[index]
        sequence = encoding.sequence_ids[index]
        text = "" if sequence is None else view.texts[sequence][start:end]
        rows.append(
            (
                index,
                readable(encoding.tokens[index], view.style),
                identifier,
                encoding.type_ids[index],
                encoding.word_ids[index],
                sequence,
                start,
                end,
                readable(text),
                encoding.special_tokens_mask[index],
                encoding.attention_mask[index],
            )
        )
    names = [
        _("position"),
        _("token"),
        "id",
        "type_id",
        "word_id",
        "sequence_id",
        _("start"),
        _("end"),
        _("characters"),
        "special_tokens_mask",
        "attention_mask",
    ]
    table = pd.DataFrame(rows, columns=names)
    table[["word_id", "sequence_id"]] = table[["word_id", "sequence_id"]].astype("Int64")
    return table


def maps_text(encoding: Encoding, position: int, sequence: int) -> str:
    """The maps of the encoding for a character, its token and its word, as code."""
    of = f", {sequence}" if sequence else ""
    token, word = encoding.char_to_token(position, sequence), encoding.char_to_word(position, sequence)
    lines = [
        f"encoding.char_to_token({position}{of})  # → {token}",
        f"encoding.char_to_word({position}{of})  # → {word}",
    ]
    if token is not None:
        lines += [
            f"encoding.token_to_chars({token})  # → {encoding.token_to_chars(token)}",
            f"encoding.token_to_word({token})  # → {encoding.token_to_word(token)}",
            f"encoding.token_to_sequence({token})  # → {encoding.token_to_sequence(token)}",
        ]
    if word is not None:
        lines += [
            f"encoding.word_to_chars({word}{of})  # → {encoding.word_to_chars(word, sequence)}",
            f"encoding.word_to_tokens({word}{of})  # → {encoding.word_to_tokens(word, sequence)}",
        ]
    return "\n".join(lines)


# --- Windows ------------------------------------------------------------------------------------------------


def windows_tab(view: PipelineView) -> None:
    """A text too long for the model, cut into overlapping windows."""
    controls, pair = view.controls, len(view.texts) > 1
    said = len(controls.complaints)
    controls.window_widgets(pair)
    for complaint in controls.complaints[said:]:
        problem(complaint)
    if len(controls.complaints) > said:
        return
    if controls["max"] is None or controls["stride"] is None:
        note(_("Set how long a window may be, and how many tokens it shares with the next."))
        return
    try:
        encoding = encode_windows(view)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    if encoding is None:
        return
    st.caption(sentences(*tell_windows([encoding, *encoding.overflowing], len(view.encoding))))
    answer = ask_for_answer(view)
    st.html(windows_html(encoding, view.style, answer))


def encode_windows(view: PipelineView) -> Encoding | None:
    """The first window, with the others as its overflow; None if there would be too many, with a message.

    Raises the engine's errors for impossible lengths.
    """
    controls, pair = view.controls, len(view.texts) > 1
    truncation = Truncation(
        controls["max"],
        controls["stride"],
        controls["strategy"] if pair else "longest_first",
        controls["side"],
    )
    number = windows_needed(view, truncation)
    if number > WINDOWS_LIMIT:
        message = _(
            "These settings make {number} windows, more than {limit}: choose longer windows, or a smaller stride."
        )
        problem(message.format(number=count(number), limit=count(WINDOWS_LIMIT)))
        return None
    tokenizer = view.tokenizer.with_options(truncation=truncation, padding=padding(view.tokenizer))
    [encoding] = tokenizer.encode_batch([(view.texts[0], view.texts[1]) if pair else view.texts[0]])
    return encoding


def tell_windows(windows: Sequence[Encoding], tokens: int) -> list[str]:
    """Sentences on the windows for a text of so many tokens."""
    message = (
        ngettext("{tokens} token fits into 1 window.", "{tokens} tokens fit into 1 window.", tokens)
        if len(windows) == 1
        else _("{tokens} tokens need {number} windows.")
    )
    lines = [message.format(tokens=count(tokens), number=count(len(windows)))]
    if len(windows) > 1:
        lines.append(_("Tokens shared with the previous window are double-underlined."))
    if len(windows) > WINDOWS_DRAWN:
        lines.append(_("The first {number} are shown.").format(number=count(WINDOWS_DRAWN)))
    if any(0 in window.attention_mask for window in windows[:WINDOWS_DRAWN]):
        lines.append(
            _("Shorter windows are padded to the same length; the model's attention to the padding is 0.")
        )
    return lines


def windows_needed(view: PipelineView, truncation: Truncation) -> int:
    """The number of windows to expect; if both texts of a pair are cut, every combination counts."""
    lengths = [view.encoding.sequence_ids.count(sequence) for sequence in range(len(view.texts))]
    result = truncation.windows(lengths, len(view.encoding) - sum(lengths))
    return math.prod(map(len, result))


def padding(tokenizer: Tokenizer) -> Padding | None:
    """A tokenizer's way of padding the shorter encodings of a batch; None for one without a padding token."""
    token = next((token for token in ("[PAD]", "<pad>") if token in tokenizer.vocab), None)
    if token is None:
        return None
    # XLNet's `<cls>` comes last: padding goes to the front, so that its position is always the same.
    last = "<cls>" in tokenizer.vocab
    return Padding(tokenizer.vocab[token], 3 if last else 0, token, "left" if last else "right")


def ask_for_answer(view: PipelineView) -> AnswerRange | None:
    """The answer to look for: its sequence and its characters."""
    sequence = len(view.texts) - 1
    text = view.texts[sequence]
    usual = next((words for words in ("Héloïse bakes the bread", "Hugging Face") if words in text), "")
    value = text_box(
        _("An answer to find in the windows: words from text {letter}").format(letter="AB"[sequence]),
        PASSAGE_LIMIT,
        value=usual,
        key=view.key(f"answer.{digest(text.encode())}"),
        persist_state="session",
    )
    if not value:
        return None
    start = text.find(value)
    if start < 0:
        problem(
            _("The text does not contain {answer}: copy some of its words.").format(answer=repr(value[:80]))
        )
        return None
    return AnswerRange(sequence, start, start + len(value))


# --- Entities -----------------------------------------------------------------------------------------------


def entities_tab(view: PipelineView) -> None:
    """From labels of tokens to entities in the text, by way of offsets."""
    st.caption(
        _(
            "A model that finds names labels tokens: B- where a name begins, I- where it continues, O "
            "elsewhere. To find the name in the text, use its first token's start and its last token's end. "
            "Set the labels yourself."
        )
    )
    encoding, text = view.encoding, view.texts[0]
    own = [index for index, of in enumerate(encoding.sequence_ids) if of == 0]
    if not own:
        note(_("The text has no tokens to label."))
        return
    left, right = st.columns(2)
    with left:
        labels = edit_labels(view, own)
    with right:
        result = group_entities(labels, encoding)
        if result:
            show_entities(view, own, result)
            ask_for_offsets(view, text)
            return
        note(_("All tokens are O: there is no entity."))
        if not any(name in text for name in NAMED_ENTITIES):
            st.button(
                _("Use a sentence with names"),
                key=view.key("names"),
                on_click=view.controls.take_sample,
                args=("entities",),
            )


def edit_labels(view: PipelineView, own: Sequence[int]) -> list[str]:
    """A table to label the tokens with the indices `own`; returns the labels of all tokens."""
    encoding, text = view.encoding, view.texts[0]
    state, name = st.session_state, view.key("labels.kept")
    key = view.key(labels_key(text, encoding.ids))
    match state.get(name):
        case (str(labelled), list(first), list(last)) if labelled == key:
            labels = first if key in state else last  # the table comes back, after another tab or page
        case _:
            labels = [label_of(text, encoding.offsets[index]) for index in own]
    table = pd.DataFrame(
        {
            "token": [readable(encoding.tokens[index], view.style) for index in own],
            "start": [encoding.offsets[index][0] for index in own],
            "end": [encoding.offsets[index][1] for index in own],
            "label": labels,
        }
    )
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["token", "start", "end"],
        column_config={  # edits are kept by column name: the names must not change with the language
            "token": _("token"),
            "start": _("start"),
            "end": _("end"),
            "label": st.column_config.SelectboxColumn(_("label"), options=list(ENTITY_LABELS), required=True),
        },
        key=key,
        height=min(420, 40 + 35 * len(own)),
    )
    by_hand = [str(label) for label in edited["label"]]
    state[name] = (key, labels, by_hand)
    save_rows(edited, view.key("labels"))
    result = ["O"] * len(encoding)
    for index, label in zip(own, by_hand, strict=True):
        result[index] = label
    return result


def show_entities(view: PipelineView, own: Sequence[int], entities: Sequence[Entity]) -> None:
    """The entities with their offsets, and the result of their tokens alone."""
    encoding = view.encoding
    rows = []
    for entity in entities:
        inside = [
            encoding.tokens[index]
            for index in own
            if encoding.offsets[index][0] >= entity.start and encoding.offsets[index][1] <= entity.end
        ]
        rows.append((entity.label, entity.start, entity.end, entity.text, " ".join(inside)))
    names = [_("entity"), _("start"), _("end"), _("text[start:end]"), _("tokens joined with spaces")]
    show_rows(pd.DataFrame(rows, columns=names), view.key("entities"))
    st.caption(_("Only the offsets give the words exactly as written, with capitals, accents and spaces."))


def labels_key(text: str, ids: Sequence[int]) -> str:
    """The key of this text's labels: the same in every process, so that they survive a reconnect."""
    return f"labels.{digest(repr((text, list(ids))).encode('utf-8', 'replace'))}"


def label_of(text: str, span: tuple[int, int]) -> str:
    """The label of a token in the example's text.

    >>> [label_of("at Hugging Face in", span) for span in ((0, 2), (3, 10), (11, 15))]
    ['O', 'B-ORG', 'I-ORG']
    """
    for name, kind in NAMED_ENTITIES.items():
        start = text.find(name)
        if start >= 0 and start <= span[0] and span[1] <= start + len(name) and span[0] < span[1]:
            return f"{'B' if span[0] == start else 'I'}-{kind}"
    return "O"


def ask_for_offsets(view: PipelineView, text: str) -> None:
    """A small exercise: give a name's offsets."""
    name = next((name for name in ("Hugging Face", "Brooklyn") if name in text), None)
    if name is None:
        return
    st.header(_("Your turn: at which characters does this name begin and end?"), anchor=False)
    st.code(name, language=None)
    text_key = digest(text.encode())
    left, right = st.columns(2)
    start = left.number_input(_("Start"), value=None, step=1, key=view.key(f"ask.start.{text_key}"))
    end = right.number_input(
        _("End (the character after the last)"), value=None, step=1, key=view.key(f"ask.end.{text_key}")
    )
    if start is None or end is None:
        return
    if end == start + len(name) and text.startswith(name, max(0, int(start))):
        note(_("Right: text[{start}:{end}] is it.").format(start=start, end=end))
        return
    value = text[max(0, int(start)) : max(0, int(end))]
    problem(
        _("text[{start}:{end}] is {given}. Point at the name's letters in the drawing.").format(
            start=start, end=end, given=repr(value[:80])
        )
    )


# --- Files --------------------------------------------------------------------------------------------------


def files_tab(view: PipelineView) -> None:
    """The tokenizer as files, and the page as a link."""
    if view.controls["t1"]:
        st.header(_("Link to this page"), anchor=False)
        show_address(page_address(view.controls.url()))
        if view.controls["t1"].startswith("file?"):
            note(_("Only this server remembers an uploaded tokenizer, and only for a while."))
    else:
        show_link(_("Link to this page"), view.controls.recipe(), view.controls.url())
    if view.decoder is not None:  # it was somebody's file in the first place
        return
    st.header(_("The tokenizer"), anchor=False)
    show_tokenizer_files(view.tokenizer, view.key("files"))
    st.code(USE, language="python")


USE = """\
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("tokenizer.json")
encoding = tokenizer.encode("Who runs the café?", "Zoë does.")
print(encoding.tokens, encoding.ids, encoding.offsets)

# The same, as the models of the transformers library want it:
from transformers import PreTrainedTokenizerFast

tokenizer = PreTrainedTokenizerFast(tokenizer_file="tokenizer.json")
print(tokenizer("Who runs the café?", "Zoë does."))
"""
