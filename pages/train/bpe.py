"""Step through BPE training."""

from tokenizers_core import bpe, merging, ties
from ui.algorithms import BPE
from ui.frames import encoding_frame, merge_frame
from ui.i18n import N_, _
from ui.merge_page import MERGE_FILES, merge_tabs
from ui.tables import pair_table
from ui.train_page import TrainPage, show_page

show_page(
    TrainPage(
        algorithm=BPE,
        lead=lambda _controls: _(
            "Merge the most frequent pair of neighbours, everywhere, again and again, until the vocabulary is full."
        ),
        frame=merge_frame,
        encoding_frame=encoding_frame,
        code={
            N_("Count the pairs"): merging.count_pairs,
            N_("Find a pair in a word"): merging.group_pair,
            N_("Merge a pair everywhere, and update the counts around it"): merging.PairTable.merge,
            N_("Choose the best pair, again and again"): bpe.bpe_merges,
            N_("Tie rule: first met"): ties.FirstMet,
            N_("Tie rule: lowest ids"): ties.LowestIds,
            N_("Tie rule: greatest"): ties.Greatest,
            N_("Train"): bpe.train_bpe,
            N_("Encode a word"): bpe.apply_merges,
        },
        run_files=MERGE_FILES,
        tabs=merge_tabs(pair_table),
    )
)
