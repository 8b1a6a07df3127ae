"""The words about slips: frequent mistakes of learners, each recognized by its wrong answer.

Nothing here gives the right answer away: the readers of these sentences are going to try again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tokensteps.language.i18n import N_

SLIPS: Final[Mapping[str, str]] = {
    # counting a pair
    "words_once": N_("It looks as if you counted each word once. Count it as often as it occurs."),
    "places_once": N_("A pair can occur several times in one word. Count each of those places."),
    "overlaps": N_("Occurrences that overlap count as well: in aaa, the pair a, a occurs twice."),
    "letters": N_(
        "You counted every place with these letters. Count only the places where they are these two tokens."
    ),
    "either_order": N_("The order matters: you also counted the same two tokens the other way round."),
    "one_token": N_("You counted one of the two tokens, not the pair."),
    # choosing a pair by its score
    "most_frequent": N_(
        "You took the most frequent pair, as BPE does. WordPiece divides by the counts of both tokens."
    ),
    "first_only": N_("You divided by the first token's count only. Divide by the product of both counts."),
    "second_only": N_("You divided by the second token's count only. Divide by the product of both counts."),
    "undivided": N_("That is how often the pair occurs. Divide it by the product of both tokens' counts."),
    "counts_added": N_("You added the two tokens' counts. Multiply them."),
    "upside_down": N_("Your fraction is upside down: the pair's count goes on top."),
    "prefix_ignored": N_(
        "A token at the start of a word and the same letters with ## are two tokens. Count them separately."
    ),
    # choosing a pair across spaces
    "within_words": N_("You stayed within words. In the second stage, a pair may bridge a space."),
    "too_many_words": N_("That pair is frequent, but its token would have more words than allowed."),
    # choosing a pair under a rule
    "longest_forgotten": N_("That pair is frequent, but its token would be longer than the rule allows."),
    "kept_forgotten": N_("A symbol that is kept whole is cut out first: it is no neighbor of anything."),
    "digits_forgotten": N_("Here each digit stays alone: it is no neighbor of anything."),
    # removing a token
    "new_token": N_("The new token stays. Look at the two tokens that it was made of."),
    "characters_too": N_("Only learned tokens can leave. Single characters always stay."),
    "at_threshold": N_("A share that equals the threshold is not enough: it must be more."),
    "by_rest": N_("You divided by the places that are left. Divide by all places that the token had before."),
    "share_left": N_("You compared the share that is left. Compare the share that the merge takes."),
    "every_place": N_("A token can leave even if it has places left. Compare the share with the threshold."),
    "each_part": N_(
        "A token doesn't leave just because it was merged. Compare its share with the threshold."
    ),
    # the choosing language
    "fewest_tokens_choose": N_("That language has the fewest tokens. The one with the most chooses."),
    "most_characters": N_("You counted characters. Count tokens."),
    "most_words": N_("You counted words. Count tokens."),
    # splitting a word after a merge
    "unmerged": N_("That is the current split. The next merge changes it."),
    "one_place": N_("The pair occurs at several places in this word. Merge all of them."),
    "from_right": N_("Where a pair overlaps itself, merge from left to right."),
    "ahead": N_("That is too far: make one merge only."),
    "other_pair": N_("You merged another pair than the next one."),
    # encoding by merge rules
    "no_rule": N_("You applied no rule yet."),
    "too_early": N_("So far so good, but another rule still fits."),
    "leftmost": N_(
        "You merged the leftmost pair that fits any rule. The earliest rule in the list goes first, wherever its pair is."
    ),
    "last_rule": N_("You applied the latest rule first. The earliest rule in the list goes first."),
    "longest": N_(
        "You took the longest known token each time. BPE applies its rules in their order, even if a longer token exists."
    ),
    "unknown_kept": N_("One of the characters is not among the known ones. It becomes [UNK]."),
    # encoding by the longest match
    "gave_up": N_("The word can be spelled with these tokens. Start with the longest one that begins it."),
    "other_form": N_(
        "You used a token in the wrong place: tokens with ## go inside a word, and the others at its start."
    ),
    "not_in_vocabulary": N_("One of your tokens is not in the vocabulary."),
    "from_end": N_("You matched from the end of the word. Match from its start."),
    "fewest_tokens": N_("You looked for the fewest tokens. WordPiece takes the longest match at each point."),
    "not_longest": N_("At one point, a longer token fits than the one you took."),
    # ways to use one vocabulary
    "by_merges": N_("You applied the merge rules. That is another way to use the vocabulary."),
    "by_longest": N_("You took the longest token each time. That is another way to use the vocabulary."),
    "by_fewest": N_("You looked for the fewest tokens. That is another way to use the vocabulary."),
    "by_probability": N_("You took the most probable split. That is another way to use the vocabulary."),
    "more_tokens": N_("It can be done with fewer tokens."),
    # probabilities of splits
    "added": N_("You added the probabilities. Multiply them."),
    "counts_multiplied": N_("You multiplied the counts. Divide each by the total first."),
    "divided_once": N_("You divided by the total only once. Divide every piece's count by it."),
    "piece_left_out": N_("You left out one of the pieces."),
    "fewest_pieces": N_(
        "You took a split with the fewest pieces. Compare the products of the probabilities."
    ),
    "greedy": N_("You took the longest piece each time, as WordPiece does. Compare the splits as a whole."),
    "greatest_sum": N_("You added the probabilities. Compare their products."),
    "pruned_piece": N_("You used the piece that is pruned."),
    "less_probable": N_("Another split is more probable."),
    # splits at random
    "end_forgotten": N_("At the end, every merge that is still possible must have dropped out as well."),
    "dropped_forgotten": N_(
        "You counted only what is taken. Everything that comes before it must have dropped out."
    ),
    "taken_forgotten": N_("You counted only what drops out. What is taken must not have dropped out."),
    "dropout_swapped": N_("You swapped the two probabilities: the given one is that of dropping out."),
    "one_way_only": N_("The split comes about in several ways. Add up their probabilities."),
    "drops_for_good": N_("A merge doesn't drop out for good: chance decides anew before each merge."),
    "single_drops": N_("A single character never drops out, so it has no factor of its own."),
    "not_divided": N_("That is the split's own product. Divide it by the sum over all splits."),
    "equally_likely": N_("You took all splits as equally likely. Compare their products."),
    "power_forgotten": N_("You left out the exponent. Raise each split's product to it, then divide."),
    "power_after": N_("You divided too early. Raise each split's product to the exponent, then divide."),
    "others_only": N_("You divided by the sum of the other splits. Divide by the sum of all."),
    # losses
    "least_probable": N_(
        "You took the least probable of these pieces. What counts is how much the loss grows without a piece."
    ),
    "most_costly": N_("You took the piece that costs the most. Look for the one that costs the least."),
    "after_only": N_("That is the loss of those words afterwards. Subtract what they cost before."),
    "before_only": N_("That is what those words cost before. Subtract it from what they cost afterwards."),
    "base_two": N_("You took logarithms to base 2. Use natural ones."),
    "base_ten": N_("You took logarithms to base 10. Use natural ones."),
    "sign": N_("The size is right, but the loss grows: mind the sign."),
    # the Viterbi table
    "own_only": N_("That is the last piece alone. Add the fewest bits up to where it begins."),
    "letters_only": N_("That is the word letter by letter. A longer piece may cost less."),
    "not_least": N_("There is a cheaper way to get there. Try every piece that ends there."),
    "not_a_piece": N_("It is not one of the pieces."),
    "elsewhere": N_("That piece doesn't end there."),
    "dearer_piece": N_("That piece ends there, but another one leads to fewer bits."),
    # pre-tokenization and normalization
    "cut_missing": N_("A cut is missing."),
    "cut_too_many": N_("There is a cut too many."),
    "accents_left": N_("There are accents left."),
    "capitals_left": N_("There are capital letters left."),
}
"""A slip's name → the sentence for the learner."""
