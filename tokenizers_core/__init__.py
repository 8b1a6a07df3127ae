"""How subword tokenizers are trained: BPE, WordPiece and Unigram, one recorded step at a time.

To learn the algorithms, read `tokenizers_core/plain/` first: its chapters (`plain/__init__.py` lists them)
train and encode as plainly as the papers describe it, each with a worked run. The rest of the package does
the same fast, for real corpora, and records every step. In this order:

* `text/`: from text to words with their counts. Start with `Corpus.from_texts`.
* `encoding/`: the trained tokenizers at work: ``trace.tokenizer(k).encode(text)``.
* `trace.py`: training is data, a trace of snapshots with random access.
* `training/`: `train_bpe`, `train_wordpiece` and `train_unigram`; look at ``trace[k]``. Newer kinds of BPE
  are in `training/kinds/`.
* `changes.py`: the steps that change a word, token or pair. `measures.py`: fertility, efficiency, premiums.
* `counterfactual/`: the same run with one count changed, and how close each step was: ``tipping_points(trace,
  k, words)``.
* `files/`: tokenizer.json and other files. `health/`: the use of each token, and the proof that no text
  gives it.

>>> corpus = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
>>> trace = train_bpe(corpus, merges=3)
>>> trace[1].event.pair, trace.tokenizer().encode("hugs").tokens
(Pair(first='u', second='g'), ['hug', 's'])
"""

from tokenizers_core.counterfactual.tipping import tipping_points
from tokenizers_core.encoding.alignment import Stretch, align, cover
from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.encoding.models.pairs import Pair, merge_pair
from tokenizers_core.encoding.tasks import AnswerSpan, Entity, answer_spans, group_entities, windows_with
from tokenizers_core.encoding.templates import TEMPLATES, Template
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.files import loading as loading  # for `Tokenizer.load`
from tokenizers_core.files.tokenizer_json import tokenizer_from_json, tokenizer_to_json
from tokenizers_core.measures import Measures, ParallelMeasures, measure, measure_parallel
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.trace import Snapshot, Trace
from tokenizers_core.training.bpe import ALPHABETS, BpeTrace, train_bpe
from tokenizers_core.training.comparison import Comparison, compare
from tokenizers_core.training.kinds.paritybpe import ParityTrace, train_paritybpe
from tokenizers_core.training.kinds.pickybpe import PickyTrace, train_pickybpe
from tokenizers_core.training.kinds.sentencepiece_bpe import PieceBpeTrace, train_sentencepiece_bpe
from tokenizers_core.training.kinds.superbpe import SuperTrace, train_superbpe
from tokenizers_core.training.merge_trace import MergeEvent, MergeSnapshot, MergeTrace, first_difference
from tokenizers_core.training.options.trimming import cut_out, trim
from tokenizers_core.training.pruning import PruneEvent
from tokenizers_core.training.ties import TIE_RULES
from tokenizers_core.training.unigram import METHODS, train_unigram
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace, train_wordpiece

__all__ = [
    "ALPHABETS",
    "METHODS",
    "TEMPLATES",
    "TIE_RULES",
    "AnswerSpan",
    "BpeTrace",
    "Comparison",
    "Corpus",
    "Encoding",
    "Entity",
    "Lattice",
    "Measures",
    "MergeEvent",
    "MergeSnapshot",
    "MergeTrace",
    "Padding",
    "Pair",
    "ParallelMeasures",
    "ParityTrace",
    "PickyTrace",
    "PieceBpeTrace",
    "Pipeline",
    "PruneEvent",
    "Snapshot",
    "Stretch",
    "SuperTrace",
    "Template",
    "Tokenizer",
    "TokenizersCoreError",
    "Trace",
    "Truncation",
    "UnigramSnapshot",
    "UnigramTrace",
    "WordPieceTrace",
    "align",
    "answer_spans",
    "compare",
    "cover",
    "cut_out",
    "first_difference",
    "group_entities",
    "measure",
    "measure_parallel",
    "merge_pair",
    "tipping_points",
    "tokenizer_from_json",
    "tokenizer_to_json",
    "train_bpe",
    "train_paritybpe",
    "train_pickybpe",
    "train_sentencepiece_bpe",
    "train_superbpe",
    "train_unigram",
    "train_wordpiece",
    "trim",
    "windows_with",
]
