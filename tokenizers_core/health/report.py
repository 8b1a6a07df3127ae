"""All results about a vocabulary at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.health.makeup import FOLDS, Doubles, Fold, Makeup, doubles, makeup_of
from tokenizers_core.health.reach import Checked, CheckProgress, Reach
from tokenizers_core.health.verdicts import Verdict
from tokenizers_core.text.normalizers import normalized_text


class Health(NamedTuple):
    """The results of a check."""

    verdicts: Mapping[int, Verdict]
    """By id: the tokens not shown by their own text, in order."""
    makeup: Makeup
    doubles: Mapping[str, Doubles]
    """By the names of `FOLDS`, and "normalizer": the tokenizer's own, if it has one."""
    finished: bool
    """False if the check was stopped: the remaining tokens are open."""


def examine(
    checked: Checked, normalize: Fold | None = None, prefix: str = "", progress: CheckProgress | None = None
) -> Health:
    """Check a vocabulary. `normalize` is the tokenizer's normalizer, None for none, and `prefix` its
    continuation prefix. Raises the errors of encoding."""
    ids = [
        identifier
        for identifier, token in enumerate(checked.tokens)
        if token and identifier not in checked.apart
    ]
    reach = Reach(checked, progress)
    data = {identifier: reach.bytes_of(identifier) for identifier in ids}
    inside = {one for one in ids if prefix and checked.tokens[one].startswith(prefix)}
    texts = {}
    for identifier, written in data.items():
        try:
            texts[identifier] = written.decode("utf-8")
        except UnicodeDecodeError:
            continue
    # Inside words and in front of them are different places, not two ways of writing the same.
    placed = {one: f"{prefix}{text}" if one in inside else text for one, text in texts.items()}
    folds = ({"normalizer": normalize} if normalize else {}) | dict(FOLDS)
    verdicts = reach.check()
    return Health(
        verdicts,
        makeup_of(data, inside),
        {name: doubles(placed, fold) for name, fold in folds.items()},
        reach.finished,
    )


def health(tokenizer: Tokenizer, progress: CheckProgress | None = None) -> Health:
    """The health of a tokenizer of the engine. Raises PatternTimeoutError.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5}), merges=3).tokenizer()
    >>> {tokenizer.tokens[one]: verdict.kind for one, verdict in health(tokenizer).verdicts.items()}
    {'[UNK]': 'apart'}
    """
    pipeline, model = tokenizer.pipeline, tokenizer.model
    added = (token.content for token in tokenizer.added)
    set_apart = {*tokenizer.special_tokens, *added, model.unk_token}
    apart = {identifier for token, identifier in tokenizer.vocab.items() if token in set_apart}
    checked = Checked(
        tokenizer.tokens,
        tokenizer.token_bytes,
        lambda texts: [tokenizer.ids(text) for text in texts],
        apart,
        model,
        pipeline if pipeline.only_named_parts else None,
    )
    normalizes = pipeline.normalizer not in ("none", ())
    return examine(
        checked,
        (lambda text: normalized_text(text, pipeline.normalizer)) if normalizes else None,
        model.vocabulary.prefix,
        progress,
    )
