"""Words where WordPiece's longest match reaches a token.

The model alone rules out hardly any token. A token for a word's beginning is the whole word with the same
spelling: nothing longer fits. A token from inside words (`##ing`) comes behind the longest token of all, as
no longer match than that is possible. The pre-tokenizer decides: which of these words does it leave whole?
And words beyond the model's limit are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.health.verdicts import OPEN, Verdict
from tokenizers_core.lazy import cached_property


def inside_of(token: str, prefix: str) -> str | None:
    """A token from inside words without its continuation prefix; None for another token.

    >>> inside_of("##ing", "##"), inside_of("ing", "##"), inside_of("##", "##")
    ('ing', None, None)
    """
    return token.removeprefix(prefix) if prefix and token.startswith(prefix) and token != prefix else None


class MatchWords:
    """Words for the tokens of one WordPiece model."""

    def __init__(self, model: WordPieceModel) -> None:
        self.model = model

    @cached_property
    def _beginnings(self) -> Sequence[str]:
        """All tokens, single letters first."""
        tokens = filter(None, self.model.vocabulary.tokens)
        return sorted(tokens, key=lambda token: (len(token) > 1, not token.isalpha()))

    def having(self, token: str) -> Iterator[str]:
        """Words with this token, as far as the model alone decides.

        >>> model = WordPieceModel(["[UNK]", "a", "b", "ab", "##b", "##ba"])
        >>> list(MatchWords(model).having("##b"))
        ['bb', 'abb', '[UNK]b', '##bb', '##bab', '##b']
        """
        rest = inside_of(token, self.model.vocabulary.prefix)
        if rest is not None:
            for before in self._beginnings:
                if self.model.longest_matches(before + rest) == [before, token]:
                    yield before + rest
        if token in self.model.longest_matches(token):
            yield token  # even `##ing`, if the pre-tokenizer leaves it whole

    def ruled_out(self, token: str) -> Verdict:
        """Why no word has this token; OPEN if some word may.

        >>> MatchWords(WordPieceModel(["[UNK]", "a", "##bcd"], max_characters=3)).ruled_out("##bcd").kind
        'long'
        """
        rest, most = inside_of(token, self.model.vocabulary.prefix), self.model.max_characters
        least = len(token) if rest is None else len(rest) + 1
        return Verdict("long", limit=most) if least > most else OPEN
