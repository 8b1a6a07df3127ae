"""Why files make no tokenizer, and why a loaded tokenizer can't encode a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from tokenizers_core.errors import Numbered, TokenizersCoreError, quoted
from tokensteps.language.i18n import N_

MESSAGE_CHARACTERS: Final = 120
"""How many characters of a message of the library are repeated."""


class LoadError(TokenizersCoreError):
    """Files without a usable tokenizer. `why` is a key of `templates`.

    >>> print(LoadError("no_merges", "vocab.json"))
    'vocab.json' is half of a BPE tokenizer: its merges.txt is missing; upload both files together.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "nothing": N_(
            "No file was given; upload tokenizer.json, vocab.txt, vocab.json with merges.txt, or a .tiktoken file."
        ),
        "too_large": N_(
            "{file} has {size} bytes, more than {limit}; upload only the tokenizer's file, without its model."
        ),
        "too_many_files": Numbered(
            N_(
                "{file} and {number} more file exceed the limit of {limit} at once; upload only the tokenizer's."
            ),
            N_(
                "{file} and {number} more files exceed the limit of {limit} at once; upload only the tokenizer's."
            ),
            by="number",
        ),
        "empty": N_("{file} is empty; download it again, or upload tokenizer.json from the same place."),
        "sentencepiece": N_(
            "{file} looks like a SentencePiece model, but {reason}; download it again, or upload the tokenizer.json that usually comes with it."
        ),
        "tekken": N_("{file}: {part} is not as in a tekken.json; download the file again."),
        "minbpe": N_(
            "Line {line_number} of {file} ({line}) is not as in a minbpe model; save the model again."
        ),
        "minbpe_twice": N_(
            "{file} has two tokens for the same bytes, {token}, which this app can't tell apart; train the model again with other settings."
        ),
        "pickle": N_(
            "{file} is a Python pickle, which can run code when opened; upload tokenizer.json instead."
        ),
        "archive": N_("{file} is an archive; unpack it and upload the tokenizer.json inside."),
        "lfs": N_(
            "{file} is a Git LFS pointer, not the file itself; run “git lfs pull”, or download it from the model's page."
        ),
        "image": N_("{file} is an image; upload tokenizer.json."),
        "binary": N_("{file} is binary data, not text; upload tokenizer.json."),
        "not_utf8": N_(
            "{file} is not UTF-8: byte {position} can't be read; save it as UTF-8, or download it again."
        ),
        "not_json": N_("{file} is not JSON: {message}; download it again."),
        "nested": N_("{file} is nested too deeply for a tokenizer; upload tokenizer.json."),
        "surrogate": N_(
            "{file} contains half of a UTF-16 pair, which UTF-8 can't represent; replace it with U+FFFD."
        ),
        "settings": N_(
            "{file} looks like {looks}, which has settings but no vocabulary; upload the tokenizer.json that comes with it."
        ),
        "list": N_("{file} is a JSON list, not a tokenizer; upload tokenizer.json."),
        "record": N_(
            "{file} is the record of a TokenSteps training run; upload the tokenizer's files, such as "
            "vocab.json with merges.txt."
        ),
        "other_json": N_("{file} is JSON, but not a tokenizer: {key} is missing; upload tokenizer.json."),
        "spm_vocab": N_(
            "{file} lists pieces with their scores, but not how text becomes words; upload tokenizer.json."
        ),
        "unknown": N_(
            "{file} is not a tokenizer file; upload tokenizer.json, vocab.txt, vocab.json with merges.txt, "
            "or a .tiktoken file."
        ),
        "several": N_("{file} and {other} are two tokenizers; upload one at a time."),
        "no_merges": N_(
            "{file} is half of a BPE tokenizer: its merges.txt is missing; upload both files together."
        ),
        "no_vocab": N_(
            "{file} is half of a BPE tokenizer: its vocab.json is missing; upload both files together."
        ),
        "no_unknown": N_(
            "{file} has no token for unknown words, such as [UNK]; add a line [UNK], or upload tokenizer.json."
        ),
        "too_many_tokens": N_("{file} has {number} tokens, more than {limit}; choose a smaller tokenizer."),
        "too_many_added": N_(
            "{file} has {number} added tokens, more than {limit}; choose another tokenizer."
        ),
        "no_id": N_(
            "{file}: the id of {token} is {identifier}, not a whole number of 0 or more; number the tokens from 0."
        ),
        "high_id": N_(
            "{file}: the id of {token} is {identifier}, but ids must be below {limit}; number the tokens from 0."
        ),
        "same_id": N_(
            "{file}: {first} and {second} have the same id, {identifier}; give each token its own."
        ),
        "rank_line": N_(
            "Line {line_number} of {file} ({line}) is not a base64 token and a rank, such as: aGVsbG8= "
            "31373; download the file again."
        ),
        "rank_twice": N_(
            "Line {line_number} of {file} ({line}): the token or its rank occurs earlier; download the file again."
        ),
        "no_byte": N_(
            "{file} has no token for the byte {byte}, so it can't spell every text; download it again."
        ),
        "merge_line": N_(
            "Line {line_number} of {file} ({line}) is not two tokens separated by one space; download the file again."
        ),
        "merge_unknown": N_(
            "{file} merges {token}, which is not in the vocabulary; upload both files of the same tokenizer."
        ),
        "stages": N_(
            "{file} has a pipeline of {number} components, more than {limit}; choose another tokenizer."
        ),
        "long_pattern": N_(
            "{file} has a regular expression of {number} characters, more than {limit}; choose another tokenizer."
        ),
        "expands": N_(
            "{file} makes texts more than {limit} times longer before splitting them; choose another tokenizer."
        ),
        "template": N_(
            "{file} puts more than {limit} special tokens around a text; choose another tokenizer."
        ),
        "library": N_(
            "{file} can't be loaded: the tokenizers library says {message}; download it again, or choose another tokenizer."
        ),
        "pattern": N_(
            "The pattern {pattern} can't be used: the tokenizers library says {message}; rewrite it, or choose a pattern by name."
        ),
        "slow": N_("{file} takes more than {seconds} seconds to load; choose a smaller tokenizer."),
        "memory": N_(
            "{file} takes more than {limit} MB of memory to load, or crashes; choose a smaller tokenizer."
        ),
        "long_token": N_(
            "{file}: long tokens such as {token}, which has {number} characters, would take too much work; choose another tokenizer."
        ),
        "long_added": N_(
            "{file} has added tokens of {number} characters in total, more than {limit}; choose another tokenizer."
        ),
        "high_number": N_(
            "{file}: {key} is {number}, but it can be {limit} at most; lower it, or choose another tokenizer."
        ),
        "panic": N_(
            "{file} crashes the tokenizers library ({message}); download it again, or choose another tokenizer."
        ),
    }

    def __init__(self, why: str, file: str = "", **evidence: str | int) -> None:
        self.why, self.file = why, file
        self.template = self.templates[why]
        super().__init__(file=quoted(file), **evidence)


class EncodeError(TokenizersCoreError):
    """A loaded tokenizer can't encode a text. `why` is a key of `templates`.

    >>> print(EncodeError("failed", "mine", message=quoted("Missing [UNK] token")))
    The tokenizer 'mine' can't encode this text: the tokenizers library says 'Missing [UNK] token'; use another text or \
another tokenizer.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "failed": N_(
            "The tokenizer {name} can't encode this text: the tokenizers library says {message}; use another text or "
            "another tokenizer."
        ),
        "panic": N_(
            "The tokenizer {name} crashes the tokenizers library on this text ({message}); use another text "
            "or another tokenizer."
        ),
        "slow": N_(
            "The tokenizer {name} took more than {seconds} seconds; use less text or another tokenizer."
        ),
        "lost": N_(
            "The tokenizer {name} needs too much memory for this text, or crashed; use less text or another tokenizer."
        ),
        "gone": N_("This server no longer has the tokenizer {name}: upload its files or choose it again."),
        "crowded": N_(
            "Too many texts are waiting to be encoded; try again in a minute before you use the tokenizer {name}."
        ),
    }

    def __init__(self, why: str, name: str, **evidence: str | int | float) -> None:
        self.why, self.name = why, name
        self.template = self.templates[why]
        super().__init__(name=quoted(name), **evidence)
