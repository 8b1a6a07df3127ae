"""Exports: traces and comparisons as JSON and CSV, vocabularies and merges as files for other tools."""

from __future__ import annotations

import csv
import io
import json
import math
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.vocabulary import PrivatePair, with_unknown
from tokenizers_core.errors import UnsavableError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, symbols_to_bytes
from tokenizers_core.text.normalizers import only_names
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.comparison import Comparison, SizeSnapshot, Standing
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.pickybpe import PickyModel, PickyTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace
from tokenizers_core.training.merge_trace import TIES_LISTED, MergeTrace
from tokenizers_core.training.pruning import NO_WORDS
from tokenizers_core.training.unigram_trace import UnigramTrace

FORMULA_STARTS = (*"=+-@＝＋－＠", "\t", "\r", "\n")
"""The characters that begin a formula in a spreadsheet (OWASP's list, “CSV Injection”), and their full-width
forms."""
LINE_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


# --- Merging ------------------------------------------------------------------------------------------------


def trace_to_dict(trace: MergeTrace) -> dict[str, Any]:
    """A whole run as plain data: the corpus, the settings, and every step's merge with its ties."""
    return {
        "algorithm": trace.algorithm,
        **({"kind": trace.kind} if isinstance(trace, BpeTrace) and trace.kind != "plain" else {}),
        **_inputs(trace),
        **_further_inputs(trace),
        "alphabet": list(trace.alphabet),
        "steps": [_step(trace, step, tied) for step, tied in enumerate(trace.tied_pairs(), start=1)],
        "stop_reason": trace.stop_reason,
        "vocab": list(trace[-1].vocab),
    }


def _further_inputs(trace: MergeTrace) -> dict[str, Any]:
    """The other inputs of a newer kind of BPE, beside the words."""
    match trace:
        case SuperTrace():
            return {"stretches": dict(trace.stretches.items())}
        case ParityTrace():
            texts = {"corpora": trace.corpora, "parallel": trace.parallel or {}}
            return {
                name: {language: dict(corpus.items()) for language, corpus in of_text.items()}
                for name, of_text in texts.items()
            }
    return {}


def _step(trace: MergeTrace, step: int, tied: Sequence[PrivatePair]) -> dict[str, Any]:
    """The contents of `trace[step].event`, taken from the record: a long run has many steps."""
    record = trace.record
    counted = {"vocab_size": trace.vocab_sizes[step], "tokens": trace.token_totals[step]}
    if not record.is_merge(step):
        return {"step": step, **trace.rule_event(step).facts, **counted}
    token = ord(record.token(step))
    return {
        "step": step,
        "pair": list(trace.pair_of(step)),
        "token": trace.tokens[token],
        "id": token,
        "freq": record.frequencies[step - 1],
        "applied": record.applied[step - 1],
        "tied_count": len(tied),
        "tied": [list(trace.read_pair(pair)) for pair in tied[:TIES_LISTED]],
        "words": list(trace.words_changed(step)),
        **(
            {"language": trace.language_at(step), "tokens_before": trace.parallel_tokens(step - 1)}
            if isinstance(trace, ParityTrace)
            else {}
        ),
        **counted,
    }


def trace_to_json(trace: MergeTrace) -> str:
    """A whole run as JSON."""
    return json.dumps(trace_to_dict(trace), ensure_ascii=False, indent=1)


def trace_to_csv(trace: MergeTrace, plain: bool = False) -> str:
    """A run as CSV, one row per step; for a newer kind of BPE with each step's kind, for the parity-aware one
    also with the choosing language.

    Text that a spreadsheet would read as a formula gets an apostrophe in front, unless the table is `plain`,
    for programs.
    """
    cell, rows = _cell(plain), []
    of_a_kind = isinstance(trace, BpeTrace) and trace.kind != "plain"
    for point in trace.history:
        merges = trace.record.is_merge(point.step)
        texts = [cell(text) for text in (*(trace.pair_of(point.step) if merges else ("", "")), point.token)]
        row = [point.step, *texts, point.freq, point.tied_count, point.vocab_size, point.tokens]
        if of_a_kind:
            row.append("merge" if merges else trace.event(point.step).kind)
        if isinstance(trace, ParityTrace):
            row.append(cell(trace.language_at(point.step)))
        rows.append(row)
    names = ["step", "first", "second", "token", "freq", "tied_count", "vocab_size", "tokens"]
    names += ["kind"] * of_a_kind + ["language"] * isinstance(trace, ParityTrace)
    return csv_table(names, rows)


def vocab_json(tokenizer: Tokenizer) -> str:
    """`vocab.json`: token → id."""
    return json.dumps(dict(tokenizer.vocab), ensure_ascii=False)


def merges_txt(source: MergeTrace | Tokenizer, step: int | None = None) -> str:
    """`merges.txt`: the merges by rank, one per line, with a space between the two tokens; each pair is
    listed once.

    The merges of a trace, all or up to a step, or of a tokenizer. Raises UnsavableError if it has none.
    """
    lines = [f"{pair.first} {pair.second}" for pair in dict.fromkeys(_merges(source, step))]
    return "\n".join(["#version: 0.2", *lines]) + "\n"


def _merges(source: MergeTrace | Tokenizer, step: int | None) -> Sequence[Pair]:
    if isinstance(source, PickyTrace) or (
        isinstance(source, Tokenizer) and isinstance(source.model, PickyModel)
    ):
        raise UnsavableError("removals", file="merges.txt")
    if not isinstance(source, Tokenizer):
        return source[-1 if step is None else step].merges
    if not isinstance(source.model, BpeModel):
        raise UnsavableError("not_merges")
    return source.model.merges


def vocab_txt(tokenizer: Tokenizer) -> str:
    """`vocab.txt`: the tokens by id, one per line, as BERT has them."""
    return "\n".join([*tokenizer.tokens, ""])


def tiktoken_ranks(tokenizer: Tokenizer) -> str:
    """A `.tiktoken` file: the tokens' bytes in base64 with their ids as ranks, one per line.

    The file has no special tokens (they keep their ids), no pattern and no normalizer: pass the first two to
    `tiktoken.Encoding`, and normalize the text yourself.

    tiktoken merges any two neighbours that make a token, the lowest rank first, and keeps a word whole if it
    is a token; here only learned pairs are merged. Both lead to the same tokens if ids follow the order of
    the merges, as after all training here: a search over 1.6 million words and 30,000 vocabularies found no
    exception.

    Raises UnsavableError for anything but byte-level BPE with all 256 bytes, and if ids don't follow the
    merges.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2, alphabet="bytes")
    >>> tiktoken_ranks(trace.tokenizer()).splitlines()[-2:]
    ['dG8= 256', 'IGI= 257']
    """
    model = tokenizer.model
    if not (isinstance(model, BpeModel) and tokenizer.pipeline.byte_level) or (
        model.suffix or model.vocabulary.prefix or model.options.byte_fallback
    ):
        raise UnsavableError("not_bytes")
    missing = next((symbol for symbol in BYTE_TO_SYMBOL if symbol not in tokenizer.vocab), None)
    if missing is not None:
        raise UnsavableError("no_byte", byte=f"0x{symbols_to_bytes(missing)[0]:02X}")
    result = dict.fromkeys(BYTE_TO_SYMBOL, -1)
    last = -1
    for first, second in model.merges:
        token = first + second
        identifier = tokenizer.vocab[token]
        if token not in result and identifier < last:
            raise UnsavableError("order", token=token)
        last = max(last, result.setdefault(token, identifier))
    special = {*tokenizer.special_tokens}
    lines = []
    for identifier, token in enumerate(tokenizer.tokens):
        if token in result:
            lines.append(f"{b64encode(symbols_to_bytes(token)).decode('ascii')} {identifier}\n")
        elif token and token not in special:  # an id without a token stays free, as after trimming
            raise UnsavableError("no_merge", token=token)
    return "".join(lines)


# --- Unigram ------------------------------------------------------------------------------------------------


def prunes_to_dict(trace: UnigramTrace) -> dict[str, Any]:
    """A whole run as plain data: the corpus, the settings, the seed, every step, and the pieces at the
    end."""
    return {
        "algorithm": trace.algorithm,
        "method": trace.method,
        **_inputs(trace),
        "seed": [[piece, count] for piece, count in trace.seed],
        "steps": list(_unigram_steps(trace)),
        "stop_reason": trace.stop_reason,
        "pieces": [[piece, log_probability] for piece, log_probability in trace[-1].pieces.items()],
    }


def prunes_to_json(trace: UnigramTrace) -> str:
    """A whole run as JSON."""
    return json.dumps(prunes_to_dict(trace), ensure_ascii=False, indent=1, allow_nan=False)


def prunes_to_csv(trace: UnigramTrace, plain: bool = False) -> str:
    """A run as CSV, one row per step; missing values are empty.

    Text that a spreadsheet would read as a formula gets an apostrophe in front, unless the table is `plain`,
    for programs.
    """
    names = ["step", "kind", "round", "position", "piece", "loss", "size", "corpus_loss"]
    rows = []
    for text in _unigram_steps(trace):
        text["piece"] = _cell(plain)(text.get("piece", ""))
        text.setdefault("corpus_loss", _known(trace.history[text["step"]].loss))
        rows.append([text.get(name) for name in names])
    return csv_table(names, rows)


def pieces_tsv(
    source: UnigramTrace | Tokenizer, step: int | None = None, unk_token: str = UnigramTrace.unk_token
) -> str:
    r"""The tokens by id with their log probabilities, one per line, separated by a tab, as in SentencePiece's
    `.vocab`.

    Special tokens and `unk_token` have 0. Inside a piece, tabs, ends of lines and backslashes are written as
    `\t`, `\n`, `\r` and `\\`. For a tokenizer, all tokens are written, with its own unknown token. Raises
    UnsavableError if it has no pieces.
    """
    if isinstance(source, Tokenizer):
        tokens, scores = source.tokens, _scores(source)
    else:
        snapshot = source[-1 if step is None else step]
        tokens, special_tokens = with_unknown(snapshot.vocab, source.special_tokens, unk_token)
        scores = {**snapshot.pieces, **dict.fromkeys(special_tokens, 0)}
    return "".join(f"{token.translate(LINE_ESCAPES)}\t{scores[token]}\n" for token in tokens)


def _scores(tokenizer: Tokenizer) -> Mapping[str, float]:
    """The log probabilities of a tokenizer's pieces, and 0 for its other tokens."""
    if not isinstance(tokenizer.model, UnigramModel):
        raise UnsavableError("not_pieces")
    return dict.fromkeys(tokenizer.tokens, 0) | tokenizer.model.pieces


def _unigram_steps(trace: UnigramTrace) -> Iterator[dict[str, Any]]:
    """The contents of each `trace[step].event`, taken from the record: a long run has many steps."""
    record, words = trace.record, trace.corpus.words
    prunes = _prunes(trace)
    iterations: Counter[tuple[str, int]] = Counter()
    for step, kind in enumerate(record.kinds[1:], start=1):
        data: dict[str, Any] = {"step": step, "kind": kind, "size": record.sizes[step]}
        if kind == "prune":
            data |= next(prunes)._asdict()
            data["words"] = [words[index] for index in record.resplit.get(step, NO_WORDS)]
            data["corpus_loss"] = _known(trace.loss_at(step))
        elif kind == "finalize":
            data["restored"] = _pieces_only_at(trace, step, step - 1)
            data["dropped"] = _pieces_only_at(trace, step - 1, step)
        else:
            number = trace.round_of(step)
            iterations[kind, number] += 1
            data |= {"round": number, "iteration": iterations[kind, number]}
            if kind == "e_step":
                data["objective"] = _known(record.objectives[step])
            else:
                data["dropped"] = _pieces_only_at(trace, step - 1, step)
        yield data


def _pieces_only_at(trace: UnigramTrace, step: int, other: int) -> list[str]:
    """The pieces at one step but not at another."""
    others = trace.pieces_at(other)
    return [piece for piece in trace.pieces_at(step) if piece not in others]


class _Prune(NamedTuple):
    """The details of one prune, as in a `PruneEvent`."""

    piece: str
    loss: float | None
    alternative: list[str]
    round: int
    rank: int


def _prunes(trace: UnigramTrace) -> Iterator[_Prune]:
    """The run's prunes, each with the best split of its piece without it."""
    for number, round_ in enumerate(trace.record.rounds, start=1):
        scores = list(trace.scores_at(round_.first_step - 1))
        unknown = trace.model_at(round_.first_step - 1).unknown
        done = min(round_.pruned, len(trace) + 1 - round_.first_step)
        for index, piece in enumerate(round_.ranking[:done]):
            text = trace.seed[piece][0]
            single = len(text) == 1
            scores[piece] = unknown if single else -math.inf
            alternative = [] if single else list(trace.read(trace.split(text, scores)))
            yield _Prune(text, _known(round_.losses[index]), alternative, number, index + 1)


# --- Comparisons --------------------------------------------------------------------------------------------


def sweep_to_csv(comparison: Comparison) -> str:
    """The sweep as CSV, one row per vocabulary size; missing values are empty."""
    names = [
        "vocab_size",
        *(f"{name}_{what}" for name in comparison.names for what in ("size", "tokens", "tokens_per_word")),
        *(f"overlap_{first}_{second}" for first, second in comparison.pairs),
        "alike_all",
        *(f"alike_{first}_{second}" for first, second in comparison.pairs),
    ]
    rows: list[list[object]] = []
    for index, point in enumerate(comparison.sweep):
        row: list[object] = [point.size]
        for side, per_word in zip(comparison.sides, point.tokens_per_word, strict=True):
            step = side.steps[index]
            numbers = [None, None] if step is None else [side.sizes[step], side.trace.token_totals[step]]
            row += [*numbers, per_word]
        rows.append([*row, *point.overlap, point.alike, *point.alike_pairs])
    return csv_table(names, rows)


def disagreements_to_csv(snapshot: SizeSnapshot, plain: bool = False) -> str:
    """The words with different splits as CSV, tokens separated by spaces.

    Text that a spreadsheet would read as a formula gets an apostrophe in front, unless the table is `plain`,
    for programs.
    """
    cell = _cell(plain)
    runs = snapshot.trace.names
    names = ["word", "count", *(f"{name}{what}" for name in runs for what in ("", "_tokens")), "apart"]
    rows: list[list[object]] = []
    for word, freq, cuts, apart in snapshot.disagreements():
        row: list[object] = [cell(word), freq]
        for cut in cuts:
            row += ["", None] if cut is None else [cell(" ".join(cut)), len(cut)]
        rows.append([*row, apart])
    return csv_table(names, rows)


def comparison_to_dict(snapshot: SizeSnapshot) -> dict[str, Any]:
    """A comparison as plain data: the corpus, the settings, all runs at this size, and the sweep over all
    sizes."""
    comparison = snapshot.trace
    pipeline = comparison.corpus.pipeline
    overlap = snapshot.overlap()
    return {
        "settings": dict(comparison.settings),
        "normalizer": pipeline.normalizer,
        "pre_tokenizer": pipeline.pre_tokenizer,
        "words": dict(comparison.corpus.items()),
        "stop_reason": comparison.stop_reason,
        "vocab_size": snapshot.size,
        "algorithms": {standing.name: _side_data(snapshot, standing) for standing in snapshot.standings},
        "overlap": [
            {"algorithms": list(region), "tokens": list(tokens)} for region, tokens in overlap.regions.items()
        ],
        "disagreements": [
            {
                "word": word,
                "count": freq,
                "splits": {name: cut and list(cut) for name, cut in zip(comparison.names, cuts, strict=True)},
                "apart": apart,
            }
            for word, freq, cuts, apart in snapshot.disagreements()
        ],
        "sweep": [
            {
                "vocab_size": point.size,
                "tokens_per_word": dict(zip(comparison.names, point.tokens_per_word, strict=True)),
                "overlap": _by_pair(comparison, point.overlap),
                "alike": point.alike,
                "alike_by_pair": _by_pair(comparison, point.alike_pairs),
            }
            for point in comparison.sweep
        ],
    }


def _side_data(snapshot: SizeSnapshot, standing: Standing) -> dict[str, Any]:
    """One algorithm at a size, as plain data."""
    run = snapshot.trace.runs[standing.name]
    return {
        "step": standing.step,
        "size": standing.size,
        "tokens": standing.tokens,
        "tokens_per_word": standing.tokens_per_word,
        "vocab": [] if standing.step is None else list(run[standing.step].vocab),
    }


def _by_pair(comparison: Comparison, shares: Sequence[float | None]) -> dict[str, float | None]:
    return {
        f"{first} {second}": share for (first, second), share in zip(comparison.pairs, shares, strict=True)
    }


def comparison_to_json(snapshot: SizeSnapshot) -> str:
    """A comparison as JSON."""
    return json.dumps(comparison_to_dict(snapshot), ensure_ascii=False, indent=1, allow_nan=False)


# --- Shared -------------------------------------------------------------------------------------------------


def _inputs(trace: MergeTrace | UnigramTrace) -> dict[str, Any]:
    """A run's inputs: the settings and the corpus."""
    pipeline = trace.corpus.pipeline
    return {
        "settings": dict(trace.settings),
        "special_tokens": list(trace.special_tokens),
        "normalizer": pipeline.normalizer
        if only_names(pipeline.normalizer)
        else list(map(str, pipeline.normalizer)),
        "pre_tokenizer": pipeline.pre_tokenizer,
        **({"cuts": list(map(repr, pipeline.cuts))} if pipeline.cuts else {}),
        **({"user_defined_symbols": pipeline.user_defined_symbols} if pipeline.user_defined_symbols else {}),
        "pattern": pipeline.pattern if pipeline.byte_level else None,
        "words": dict(trace.corpus.items()),
    }


def csv_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table. Its lines end in CR LF (RFC 4180), so that a field with either of the two gets quotes."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(names)
    writer.writerows(rows)
    return stream.getvalue()


def inert(text: str) -> str:
    """A text for a table's cell, with an apostrophe in front if a spreadsheet would read it as a formula.

    A text that already begins with an apostrophe and a formula gets another one, so that removing one
    apostrophe from each such cell gives the text back. Only tables for spreadsheets have this; files for
    other programs (plain tables, JSON, vocabularies, merges) have every text unchanged. Inside a cell only
    quotes are escaped: open a table as separated by commas, not by semicolons or tabs.

    >>> inert("=1+1"), inert("'=1"), inert("a=1"), inert("'a")
    ("'=1+1", "''=1", 'a=1', "'a")
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def _cell(plain: bool) -> Callable[[str], str]:
    """The conversion of text to a cell: unchanged, or safe from being read as a formula."""
    return str if plain else inert


def _known(number: float) -> float | None:
    """A number for JSON; None for one that wasn't computed."""
    return number if math.isfinite(number) else None
