"""A recorded run of Unigram training: any step's pieces, splits, losses and events, rebuilt from the
record."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeVar, overload

from tokenizers_core.encoding.byte_tokens import byte_token
from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.encoding.models.unigram import Split, UnigramModel, best_split, lattice_edges
from tokenizers_core.encoding.tokenizer import Tokenizer, trained_tokenizer
from tokenizers_core.encoding.vocabulary import with_unknown
from tokenizers_core.errors import UnknownWordError, UnreachedSizeError, checked_words
from tokenizers_core.lazy import Recent, cached_property
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.trace import ByContent, Trace
from tokenizers_core.training.merging import compact
from tokenizers_core.training.pruning import (
    NO_WORDS,
    Estimate,
    ExpectationEvent,
    Expected,
    FinalEvent,
    MaximizationEvent,
    PruneEvent,
    PruneRecord,
    RankedPiece,
    RecordedModel,
    ResplitWord,
    Round,
    SeedEvent,
    StepPoint,
    UnigramEvent,
    Worth,
)
from tokenizers_core.training.segmentation import Lattices, approximate_loss, removal_losses, second_best

CACHED = 6
"""How many models, and how many lists of scores, a trace keeps at hand."""

Default = TypeVar("Default")


class Pieces(Mapping[str, float]):
    """Piece → log probability, at one step."""

    def __init__(
        self, model: Mapping[str, float], pruned_at: Mapping[str, int], since: int, step: int
    ) -> None:
        self._model, self._pruned_at, self._since, self._step = model, pruned_at, since, step

    def __getitem__(self, piece: str) -> float:
        if not self._has(piece):
            raise KeyError(piece)
        return self._model[piece]

    @overload
    def get(self, piece: str, /) -> float | None: ...
    @overload
    def get(self, piece: str, /, default: float | Default) -> float | Default: ...
    def get(self, piece: str, /, default: object = None) -> object:
        return self._model[piece] if self._has(piece) else default

    def __contains__(self, piece: object) -> bool:
        return isinstance(piece, str) and self._has(piece)

    def _has(self, piece: str) -> bool:
        return piece in self._model and not self._since < self._pruned_at.get(piece, 0) <= self._step

    def __iter__(self) -> Iterator[str]:
        return filter(self._has, self._model)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, eq=False, repr=False)
class UnigramSnapshot(ByContent):
    """The state of a run after `step` steps."""

    trace: UnigramTrace
    step: int

    @cached_property
    def event(self) -> UnigramEvent:
        """The event that led to this state."""
        return self.trace.event(self.step)

    @cached_property
    def pieces(self) -> Pieces:
        """Piece → log probability, in the model's order."""
        return self.trace.pieces_at(self.step)

    @property
    def vocab(self) -> tuple[str, ...]:
        """All tokens by id: special tokens, then the pieces in the model's order."""
        return tuple(dict.fromkeys((*self.trace.special_tokens, *self.pieces)))

    @property
    def vocab_size(self) -> int:
        others = [token for token in self.trace.special_tokens if token not in self.pieces]
        return len(others) + self.trace.record.sizes[self.step]

    @property
    def loss(self) -> float:
        """The corpus's loss on best splits, in nats."""
        return self.trace.loss_at(self.step)

    @property
    def unknown(self) -> float:
        """The log probability of an unknown character."""
        return self.trace.model_at(self.step).unknown

    def splits(self, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its best split, for `words` (default: all of the corpus, in order)."""
        return self.trace.splits(self.step, words)

    def lattice(self, word: str) -> Lattice:
        """All splits of any word, with unknown characters where no piece spells one."""
        return Lattice.build(word, self.pieces, self.unknown, self.trace.settings["max_piece_length"])

    def candidates(self, limit: int | None = None) -> list[RankedPiece]:
        """The rest of the current round's ranking, or else the next round's; [] if no round follows."""
        number = self.trace.round_after(self.step)
        if number is None:
            return []
        gone = max(0, self.step + 1 - self.trace.record.rounds[number - 1].first_step)
        return self.trace.ranking(number, gone, None if limit is None else gone + limit)

    def _content(self) -> tuple[object, ...]:
        return (
            self.step,
            self.event,
            self.vocab,
            tuple(self.pieces.values()),
            self.splits(),
            self.candidates(),
        )


@dataclass(frozen=True, eq=False, repr=False)
class UnigramTrace(Trace[UnigramSnapshot]):
    """A recorded run of `train_unigram`."""

    corpus: Corpus
    special_tokens: tuple[str, ...]
    seed: tuple[tuple[str, int], ...]
    """The pieces at the start of training, by number, each with its count (times its length in
    SentencePiece's method); with a count of 0 the characters added at the end by `initial_alphabet`."""
    record: PruneRecord
    stop_reason: str
    settings: Mapping[str, Any]
    """The run's settings, by the names of the training function's arguments."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The corpus's characters made unknown by `character_coverage`, with their counts, the most frequent
    first. They have the numbers behind the seed's."""

    algorithm: ClassVar[str] = "unigram"
    ranked_by: ClassVar[Literal["loss"]] = "loss"
    """The kind of value that decides the next prune."""
    unk_token: ClassVar[str] = "<unk>"
    """The default unknown token of a tokenizer."""
    of_the_seed: ClassVar[tuple[str, ...]] = (
        "alphabet",
        "numbers",
        "_named_by_number",
        "word_frequencies",
        "_characters",
        "_losses",
    )
    """The cached properties that depend on the corpus and the seed, and losses."""

    def __getstate__(self) -> dict[str, Any]:
        """The fields, without cached results."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def grown(self, part: PruneRecord) -> Self:
        """The same run with the next part. This trace stays as it is; its cached results about the seed are
        shared."""
        longer = replace(self, record=self.record.followed_by(part))
        known = vars(self)
        vars(longer).update({name: known[name] for name in self.of_the_seed if name in known})
        return longer

    @property
    def settled(self) -> int:
        """As in every trace, but for the loss of the seed (`knows_loss`). Before a round is known, the steps
        before it lack its ranking; and steps name the next re-split of a word."""
        rounds, resplit = self.record.rounds, self.record.resplit
        if not rounds or not resplit:
            return -1
        return min(rounds[-1].first_step + rounds[-1].pruned - 2, next(reversed(resplit)) - 1, len(self) - 1)

    def __len__(self) -> int:
        return len(self.record)

    def snapshot(self, step: int) -> UnigramSnapshot:
        return UnigramSnapshot(self, step)

    @property
    def method(self) -> str:
        return str(self.settings["method"])

    @property
    def shortfall(self) -> UnreachedSizeError | None:
        """Why there are fewer tokens than requested, and the remedy; None if there are enough, or training
        isn't to blame.

        The course's last round may prune below the size: that is no shortfall.
        """
        wanted, reached = self.settings["vocab_size"], self[-1].vocab_size
        if wanted is None or reached >= wanted or self.stop_reason not in ("seed_size", "dropped"):
            return None
        cut = self.stop_reason == "seed_size" and len(self.seed) == self.settings["seed_size"]
        return UnreachedSizeError("seed_cut" if cut else self.stop_reason, wanted, reached)

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """The corpus's characters, in the seed's order; the course's method never prunes them."""
        return tuple(piece for piece, _count in self.seed if len(piece) == 1)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Piece → its number in the seed; left-out characters have the numbers behind them."""
        return {piece: number for number, piece in enumerate(self._named_by_number)}

    @cached_property
    def _named_by_number(self) -> list[str]:
        return [*(piece for piece, _count in self.seed), *self.left_out]

    @cached_property
    def word_frequencies(self) -> dict[str, int]:
        """Word → how often it occurs in the corpus."""
        return dict(self.corpus.items())

    # --- the model at a step --------------------------------------------------------------------------------

    def model_at(self, step: int) -> RecordedModel:
        """The model behind the state after `step` steps; pieces pruned since then are still in it."""
        steps = [model.step for model in self.record.models]
        return self.record.models[bisect_right(steps, step) - 1]

    def pieces_at(self, step: int) -> Pieces:
        """Piece → log probability after `step` steps, in the model's order."""
        step = self.step_number(step)
        model = self.model_at(step)
        return Pieces(self._named.at(model.step), self._pruned_at, model.step, step)

    @cached_property
    def _named(self) -> Recent[dict[str, float]]:
        """For a model's first step: piece → log probability."""

        def named(step: int) -> dict[str, float]:
            model = self.model_at(step)
            return {
                self.seed[number][0]: log_probability
                for number, log_probability in zip(model.numbers, model.log_probabilities, strict=True)
            }

        return Recent(named, CACHED)

    def likeliest_at(self, step: int, number: int) -> list[str]:
        """The `number` most probable longer pieces after `step` steps, equal ones in the model's order.

        A longer piece has at least two characters. The order is computed once per model, as pruning changes
        no probability.
        """
        pieces = self.pieces_at(step)
        ordered = self._longer_by_probability.at(self.model_at(step).step)
        return list(itertools.islice(filter(pieces.__contains__, ordered), number))

    @cached_property
    def _longer_by_probability(self) -> Recent[list[str]]:
        """For a model's first step: its longer pieces, the most probable first."""

        def ordered(step: int) -> list[str]:
            named = self._named.at(step)
            return sorted((piece for piece in named if len(piece) > 1), key=lambda piece: -named[piece])

        return Recent(ordered, CACHED)

    @cached_property
    def _pruned_at(self) -> dict[str, int]:
        """Piece → its prune's step."""
        return {
            self.seed[number][0]: round_.first_step + index
            for round_ in self.record.rounds
            for index, number in enumerate(round_.ranking[: round_.pruned])
            if round_.first_step + index <= len(self)
        }

    def scores_at(self, step: int) -> list[float]:
        """Log probability by piece's number after `step` steps; −∞ for removed pieces. Not to be modified.

        A removed single character has the log probability of an unknown character.
        """
        return self._scores.at(self.step_number(step))

    @cached_property
    def _scores(self) -> Recent[list[float]]:
        """`scores_at` for the last few steps."""

        def scores_of_model(step: int) -> list[float]:
            model = self.model_at(step)
            scores = [-math.inf] * len(self.numbers)
            for number, log_probability in zip(model.numbers, model.log_probabilities, strict=True):
                scores[number] = log_probability
            return scores

        models = Recent(scores_of_model, CACHED)

        def scores_of_step(step: int) -> list[float]:
            model = self.model_at(step)
            scores = list(models.at(model.step))
            for number in self._pruned_between(model.step, step):
                scores[number] = -math.inf
            for number in self._characters:
                if scores[number] == -math.inf:
                    scores[number] = model.unknown
            return scores

        return Recent(scores_of_step, CACHED)

    @cached_property
    def _characters(self) -> list[int]:
        return [self.numbers[character] for character in (*self.alphabet, *self.left_out)]

    def _pruned_between(self, since: int, step: int) -> Iterator[int]:
        """The numbers of the pieces pruned in the steps after `since` up to `step`."""
        for round_ in self.record.rounds:
            first, stop = max(round_.first_step, since + 1), min(round_.first_step + round_.pruned - 1, step)
            if first <= stop:
                yield from round_.ranking[first - round_.first_step : stop - round_.first_step + 1]

    def lattices(self, scores: Sequence[float]) -> Lattices:
        """The lattices of all words, with the pieces of finite score."""
        alive = {piece: number for piece, number in self.numbers.items() if scores[number] > -math.inf}
        return Lattices(self.corpus, alive, self.settings["max_piece_length"])

    def split(self, word: str, scores: Sequence[float]) -> Split:
        """The best split of a word of the corpus, or of a piece of the seed."""
        return best_split(self.edges(word), scores) if word else Split((), 0.0)

    def edges(self, word: str) -> list[tuple[int, int, int]]:
        """The lattice of a word of the corpus, or of a piece of the seed, in all pieces of the seed."""
        return lattice_edges(word, self.numbers, self.settings["max_piece_length"])

    def read(self, split: Split) -> tuple[str, ...]:
        """The pieces of a split."""
        return tuple(map(self._named_by_number.__getitem__, split.pieces))

    def splits(self, step: int, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its best split after `step` steps. Raises UnknownWordError for a character not in the
        corpus."""
        scores = self.scores_at(step)
        results = {}
        for word in self.corpus.words if words is None else checked_words(words):
            missing = next((character for character in word if character not in self.numbers), None)
            if missing is not None:
                raise UnknownWordError(word=word, symbol=missing)
            results[word] = self.read(self.split(word, scores))
        return results

    @cached_property
    def changed_splits(self) -> Sequence[Mapping[int, tuple[int, ...]]]:
        """For each step, the words with a new best split, by their index in the corpus, and the numbers of
        its pieces.

        Step 0 has every word. A prune changes the words it re-splits; a new model may change any word.
        """
        lattices = Lattices(self.corpus, self.numbers, self.settings["max_piece_length"])
        models = {model.step: model for model in self.record.models}
        pruned = {step: piece for piece, step in self._pruned_at.items()}
        scores: list[float] = []
        unknown = 0.0
        now: list[tuple[int, ...]] = [()] * len(self.corpus.words)
        changes = []
        for step in range(len(self) + 1):
            if step in models:
                scores, unknown = list(self.scores_at(step)), models[step].unknown
                lattices.drop(scores)
                results = dict(enumerate(split.pieces for split in lattices.best_splits(scores)))
            else:
                if step in pruned:
                    piece = pruned[step]
                    scores[self.numbers[piece]] = unknown if len(piece) == 1 else -math.inf
                results = {
                    word: lattices.best_split_of(word, scores).pieces
                    for word in self.record.resplit.get(step, NO_WORDS)
                }
            changed = {word: pieces for word, pieces in results.items() if pieces != now[word]}
            for word, pieces in changed.items():
                now[word] = pieces
            changes.append(changed)
        return changes

    @cached_property
    def _split_histories(self) -> list[tuple[list[int], list[tuple[int, ...]]]]:
        """For each word of the corpus, the steps that changed its best split, and the new splits."""
        histories: list[tuple[list[int], list[tuple[int, ...]]]] = [([], []) for _ in self.corpus.words]
        for step, changed in enumerate(self.changed_splits):
            for position, pieces in changed.items():
                steps, splits = histories[position]
                steps.append(step)
                splits.append(pieces)
        return histories

    def splitter(self, step: int) -> Callable[[int], tuple[str, ...]]:
        """A function from a word's place in the corpus to its best split after `step` steps."""
        histories, seed = self._split_histories, self.seed

        def split(index: int) -> tuple[str, ...]:
            steps, splits = histories[index]
            return tuple([seed[number][0] for number in splits[bisect_right(steps, step) - 1]])

        return split

    def words_between(self, first: int, second: int) -> set[int]:
        """The indices of the words re-split between two steps."""
        low, high = sorted((first, second))
        return set().union(*self.changed_splits[low + 1 : high + 1])

    def longer(self, step: int) -> tuple[str, ...]:
        """The pieces of more than one character after `step` steps."""
        return tuple(piece for piece in self.pieces_at(step) if len(piece) > 1)

    def moved(self, first: int, second: int) -> tuple[list[str], list[str]]:
        """The longer pieces gained and lost from step `first` to step `second`."""
        low, high = sorted((first, second))
        if set(self.record.kinds[low + 1 : high + 1]) <= {"prune"}:
            lost, gained = [self.piece_of(step) for step in range(low + 1, high + 1)], []
        else:
            before, after = self.pieces_at(low), self.pieces_at(high)
            lost = [piece for piece in before if piece not in after]
            gained = [piece for piece in after if piece not in before]
        lost, gained = ([piece for piece in pieces if len(piece) > 1] for pieces in (lost, gained))
        return (gained, lost) if first < second else (lost, gained)

    def step_of_size(self, size: int) -> int:
        """The last step with the largest vocabulary of at most `size` pieces: M steps skip sizes. Special
        tokens don't count."""
        return self._last_steps[bisect_right(self._last_steps, size, key=self.record.sizes.__getitem__) - 1]

    @cached_property
    def _last_steps(self) -> list[int]:
        """The last step with each size of the vocabulary, the smallest first."""
        return [
            step for _, step in sorted({size: step for step, size in enumerate(self.record.sizes)}.items())
        ]

    @cached_property
    def token_totals(self) -> Sequence[int]:
        """Tokens in the corpus on best splits after each number of steps."""
        lengths = [0] * len(self.corpus.words)
        total, totals = 0, []
        for changed in self.changed_splits:
            for word, pieces in changed.items():
                total += self.corpus.counts[word] * (len(pieces) - lengths[word])
                lengths[word] = len(pieces)
            totals.append(total)
        return compact(totals)

    def loss_at(self, step: int) -> float:
        """The corpus's loss on best splits after `step` steps, in nats."""
        step = self.step_number(step)
        loss = self.record.losses[step]
        if math.isnan(loss) and step not in self._losses:
            scores = self.scores_at(step)
            lattices = self.lattices(scores)
            lattices.find_best_ways(scores)
            self._losses[step] = lattices.loss()
        return self._losses.get(step, loss)

    def knows_loss(self, step: int) -> bool:
        """Whether to show the loss after a step: not before training has computed it, as that takes seconds
        on a large corpus."""
        return self.finished or not math.isnan(self.record.losses[step])

    @cached_property
    def _losses(self) -> dict[int, float]:
        """Losses that training didn't need, computed since."""
        return {}

    # --- rounds and events ----------------------------------------------------------------------------------

    def round_after(self, step: int) -> int | None:
        """The number, from 1, of the next step's round, or of the next round."""
        for number, round_ in enumerate(self.record.rounds, start=1):
            if step + 1 < round_.first_step + round_.pruned:
                return number
        return None

    def round_of(self, step: int) -> int:
        """The number, from 1, of a step's round: the round it prunes in, or prepares."""
        ends = [round_.first_step + round_.pruned for round_ in self.record.rounds]
        return bisect_right(ends, step) + 1

    def ranking(self, number: int, start: int = 0, stop: int | None = None) -> list[RankedPiece]:
        """Round `number`'s pieces by their loss, from place `start` + 1 up to place `stop`."""
        round_ = self.record.rounds[number - 1]
        scores = self.scores_at(round_.first_step - 1)
        rows = zip(round_.ranking[start:stop], round_.losses[start:stop], strict=True)
        return [
            RankedPiece(index, self.seed[piece][0], loss, math.exp(scores[piece]), index <= round_.pruned)
            for index, (piece, loss) in enumerate(rows, start=start + 1)
        ]

    def margin(self, step: int) -> float | None:
        """How much more the next piece in the round's ranking costs than the piece pruned in step `step`, in
        nats.

        0 at a tie; None without another candidate, and for steps that prune nothing.
        """
        return self.margins[self[step].step]

    @cached_property
    def margins(self) -> Sequence[float | None]:
        """`margin` of each step, the start included."""
        margins: list[float | None] = [None] * (len(self) + 1)
        for round_ in self.record.rounds:
            for index in range(min(round_.pruned, len(round_.ranking) - 1)):
                if round_.first_step + index <= len(self):
                    margins[round_.first_step + index] = round_.losses[index + 1] - round_.losses[index]
        return margins

    def tied_with(self, step: int) -> list[str]:
        """The pieces that would cost no more than the piece pruned in step `step`, in the order of the
        ranking. Raises IndexError for a step that prunes none."""
        round_, position = self._prune(step)
        end = bisect_right(round_.losses, round_.losses[position], position)
        return [self.seed[piece][0] for piece in round_.ranking[position + 1 : end]]

    def piece_of(self, step: int) -> str:
        """The piece pruned in a step. Raises IndexError for a step that prunes none."""
        round_, position = self._prune(step)
        return self.seed[round_.ranking[position]][0]

    def loss_of(self, step: int) -> float:
        """The loss that ranked the piece pruned in a step. Raises IndexError for a step that prunes none."""
        round_, position = self._prune(step)
        return round_.losses[position]

    def _prune(self, step: int) -> tuple[Round, int]:
        """The round of a prune, and its place in it, from 0."""
        step = self.step_number(step)
        if self.record.kinds[step] != "prune":
            raise IndexError(f"step {step} prunes nothing: {self.record.kinds[step]}")
        round_ = self.record.rounds[self.round_of(step) - 1]
        return round_, step - round_.first_step

    def event(self, step: int) -> UnigramEvent:
        """The event of step `step`; step 0 is the start."""
        step = self.step_number(step)
        kind = self.record.kinds[step]
        if kind == "start":
            absent = len(self.seed) - self.record.sizes[0]
            return SeedEvent(len(self.alphabet) - absent, len(self.seed) - absent)
        if kind == "prune":
            return self._prune_event(step)
        if kind == "finalize":
            before, after = self.pieces_at(step - 1), self.pieces_at(step)
            return FinalEvent(
                tuple(piece for piece in after if piece not in before),
                tuple(piece for piece in before if piece not in after),
                self.loss_at(step),
            )
        number, iteration = self.round_of(step), self._iteration(step)
        if kind == "e_step":
            expected = tuple(self._expected(step, None))
            return ExpectationEvent(number, iteration, self.record.objectives[step], expected)
        expected = tuple(self._expected(step - 1, self.pieces_at(step)))
        dropped = tuple(row.piece for row in expected if row.after is None)
        return MaximizationEvent(number, iteration, expected, dropped)

    def _iteration(self, step: int) -> int:
        """Whether an E or M step is the first or the second of its round."""
        kinds = self.record.kinds
        return 2 if step >= 3 and kinds[step - 2] == kinds[step] else 1

    def _expected(self, step: int, after: Pieces | None) -> Iterator[Expected]:
        """The expected counts of an E step, with the probabilities before, and after the M step."""
        before = self.pieces_at(step)
        for (piece, log_probability), count in zip(before.items(), self.record.expected[step], strict=True):
            new = after.get(piece) if after is not None else None
            yield Expected(piece, count, math.exp(log_probability), None if new is None else math.exp(new))

    def _prune_event(self, step: int) -> PruneEvent:
        number = self.round_of(step)
        round_ = self.record.rounds[number - 1]
        position = step - round_.first_step
        piece = round_.ranking[position]
        before = self.scores_at(step - 1)
        after = list(before)
        single = len(self.seed[piece][0]) == 1
        after[piece] = self.model_at(step - 1).unknown if single else -math.inf
        words = [self.corpus.words[index] for index in self.record.resplit.get(step, NO_WORDS)]
        return PruneEvent(
            piece=self.seed[piece][0],
            loss=round_.losses[position],
            alternative=() if single else self.read(self.split(self.seed[piece][0], after)),
            probability=math.exp(before[piece]),
            round=number,
            rank=position + 1,
            pruned=round_.pruned,
            ranked=len(round_.ranking),
            tied=round_.losses.count(round_.losses[position]),
            threshold=round_.losses[round_.pruned - 1],
            resplits=tuple(
                ResplitWord(word, self.read(self.split(word, before)), self.read(self.split(word, after)))
                for word in words
            ),
            corpus_loss_before=self.loss_at(step - 1),
            corpus_loss_pruned=self.record.unnormalized.get(step, self.loss_at(step)),
            corpus_loss=self.loss_at(step),
            estimate=self._estimate_of(round_, piece),
        )

    def _estimate_of(self, round_: Round, piece: int) -> Estimate | None:
        """The basis of a round's estimate of a piece's loss; None without one."""
        start = round_.first_step - 1
        counts = self._counted.at(round_.first_step)
        if piece not in counts:
            return None
        result = second_best(self.seed[piece][0], self.numbers, self.scores_at(start))
        return self._estimate(piece, result, counts, sum(counts.values()))

    @cached_property
    def _counted(self) -> Recent[dict[int, int]]:
        """For a round's first step: piece's number → how often the best splits before the round use it."""
        counts = {round_.first_step: round_.counts for round_ in self.record.rounds}

        def counts_before(first: int) -> dict[int, int]:
            used = zip(
                self.model_at(first - 1).numbers, counts[first], strict=False
            )  # exact rounds have none
            return {piece: count for piece, count in used if count}

        return Recent(counts_before, CACHED)

    def _estimate(self, piece: int, split: Split, counts: Mapping[int, int], total: int) -> Estimate:
        return Estimate(
            counts[piece],
            total,
            self.read(split),
            tuple(counts.get(part, 0) for part in split.pieces),
        )

    def tokenizer(
        self, step: int | None = None, unk_token: str = unk_token, byte_fallback: bool = False
    ) -> Tokenizer:
        """The tokenizer after `step` steps (default: all).

        Ids are the same as in the snapshot's `vocab`. Characters without a piece become `unk_token` (with the
        next free id if it isn't in the vocabulary), or with `byte_fallback`, which adds a token for each of
        the 256 bytes, they become bytes. Raises IndexError for a step not in the run, and SettingError for an
        empty `unk_token`.
        """
        snapshot = self[-1 if step is None else step]
        tokens, special_tokens = with_unknown(snapshot.vocab, self.special_tokens, unk_token)
        byte_fallback = byte_fallback or bool(self.settings.get("byte_fallback"))
        if byte_fallback:
            tokens = list(dict.fromkeys([*tokens, *map(byte_token, range(256))]))
        length = self.settings["max_piece_length"]
        model = UnigramModel(tokens, dict(snapshot.pieces.items()), unk_token, byte_fallback, length)
        return trained_tokenizer(self.corpus.pipeline, model, special_tokens)

    # --- over all steps -------------------------------------------------------------------------------------

    @cached_property
    def history(self) -> tuple[StepPoint, ...]:
        """One point a step, the start included, for charts."""
        pruned = {step: piece for piece, step in self._pruned_at.items()}
        record = self.record
        return tuple(
            StepPoint(
                step,
                kind,
                pruned.get(step, ""),
                record.sizes[step],
                record.losses[step] if kind in ("e_step", "m_step") else self.loss_at(step),
                record.objectives.get(step, math.nan),
            )
            for step, kind in enumerate(record.kinds)
        )

    def history_of(self, word: str) -> list[tuple[int, tuple[str, ...]]]:
        """The best splits of a word of the corpus, each with its first step.

        Only a new model, and the prune of a piece of its split, can change it. Raises UnknownWordError.
        """
        results = [(0, self.splits(0, [word])[word])]
        models = {model.step for model in self.record.models}
        at_step = {step: piece for piece, step in self._pruned_at.items()}
        for step in range(1, len(self) + 1):
            if step in models or at_step.get(step) in results[-1][1]:
                split = self.splits(step, [word])[word]
                if split != results[-1][1]:
                    results.append((step, split))
        return results

    def worth(self, step: int, limit: int | None = None) -> list[Worth]:
        """The worth of the pieces used in best splits after `step` steps, exactly and by SentencePiece's
        estimate.

        The `limit` pieces of least worth by the estimate (None: all), without single characters.
        """
        scores = list(self.scores_at(step))
        lattices = self.lattices(scores)
        splits = lattices.best_splits(scores)
        pieces = self.pieces_at(step)
        counts = {
            number: count
            for number, count in lattices.piece_counts().items()
            if self._named_by_number[number] in pieces  # no unknown characters
        }
        total = sum(counts.values())
        met = dict.fromkeys(number for split in splits for number in split.pieces)
        used = [number for number in met if number in counts and len(self.seed[number][0]) > 1]
        replacements = {number: second_best(self.seed[number][0], self.numbers, scores) for number in used}
        estimates = {
            number: approximate_loss(number, replacements[number].pieces, counts, total) for number in used
        }
        least = sorted(used, key=estimates.__getitem__)[:limit]
        exact = removal_losses(lattices, splits, lattices.words_with(least), scores, least)
        return [
            Worth(
                self.seed[number][0],
                math.exp(scores[number]),
                loss,
                estimates[number],
                self._estimate(number, replacements[number], counts, total),
            )
            for number, loss in zip(least, exact, strict=True)
        ]
