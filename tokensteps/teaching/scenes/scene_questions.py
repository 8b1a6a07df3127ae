"""Why tokenizers matter: six scenes, each with a question about GPT-2's tokenizer and a sentence on the
consequence of the answer.

No answer is written here: they come from the app's own GPT-2 tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Final, NamedTuple

from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.drawing.stage_markup import token_count
from tokensteps.drawing.tokens import chips, fill
from tokensteps.language.i18n import N_, _, count, sentences
from tokensteps.language.names import language_name
from tokensteps.runs.parallel import parallel_lines
from tokensteps.teaching.questions import (
    Choice,
    Entry,
    Question,
    Verdict,
    grade_number,
    grade_split,
    right,
    wrong,
)
from tokensteps.teaching.splitting import split_hint

SPELLED_WORD: Final = "strawberry"
NUMBER: Final = "1234567"
CODE_LINE: Final = "        return total"
GLITCH: Final = "SolidGoldMagikarp"
PROMPT: Final = "Once upon a"


class Scene(NamedTuple):
    """One reason. Its texts are to be translated."""

    title: str
    make: Callable[[ShownTokenizer], Question]
    """Makes the question, with GPT-2's tokenizer."""
    follows: str
    """The consequence for a model and its users."""
    sources: tuple[str, ...]
    """Sources of the measurements: titles with their year and place, not translated."""


def tokens_of(subject: ShownTokenizer, text: str) -> list[str]:
    """A text's tokens, as the vocabulary has them."""
    return [subject.token(identifier) for identifier in subject.encode(text, specials=False).ids]


def _chips_of(subject: ShownTokenizer, text: str) -> str:
    """The tokens as chips in a sentence, spaces to be seen."""
    style = subject.style._replace(show="spaces")
    return f'<span class="row">{chips(tokens_of(subject, text), style)}</span>'


def _number_question(kind: str, prompt: str, true: int, explanation: str, way: str) -> Question:
    """A question for a whole number; the texts are markup."""
    grade = grade_number(true, explanation, explanation, count(true))
    return Question(kind, prompt, Entry(_("a whole number")), str(true), grade, explanation, way)


def letters_question(gpt2: ShownTokenizer) -> Question:
    """What does a model get instead of letters?"""
    prompt = fill(
        _(
            "How many r are in {word}? Before a model can count them: how many tokens does GPT-2 get for its {letters} letters?"
        ),
        word=f"<b>{SPELLED_WORD}</b>",
        letters=count(len(SPELLED_WORD)),
    )
    text = fill(
        _("GPT-2 gets {tokens}: {ids}. No number says how many r are in its token."),
        tokens=_chips_of(gpt2, SPELLED_WORD),
        ids=", ".join(map(str, gpt2.encode(SPELLED_WORD).ids)),
    )
    way = escape(_("Frequent parts of words are tokens: which parts of this one occur in other words?"))
    return _number_question("letters", prompt, len(tokens_of(gpt2, SPELLED_WORD)), text, way)


def numbers_question(gpt2: ShownTokenizer) -> Question:
    """How is a number cut by merges learned from text?"""
    pieces = tuple(tokens_of(gpt2, NUMBER))
    text = fill(_("GPT-2 cuts it into {tokens}."), tokens=_chips_of(gpt2, NUMBER))

    def compare(_yours: tuple[str, ...]) -> Verdict:
        hint = _("No rule cuts numbers here: digits that are often side by side on the web are tokens.")
        return wrong(text, escape(hint))

    prompt = fill(
        _("GPT-2 treats digits like letters. How does it cut {number}? Guess."), number=f"<b>{NUMBER}</b>"
    )
    return Question(
        "numbers",
        prompt,
        Entry(split_hint(NUMBER)),
        " ".join(pieces),
        grade_split(NUMBER, pieces, compare, explanation=text),
        text,
    )


def parallel_costs(subject: ShownTokenizer) -> dict[str, int]:
    """Language → the tokens of its forty lines."""
    return {
        language: sum(len(subject.encode(line, specials=False).ids) for line in lines)
        for language, lines in parallel_lines().items()
    }


def times_as(tokens: int, of: int) -> str:
    """How many times as many, with one digit behind the point.

    >>> times_as(2084, 323), times_as(5, 0)
    ('6.5', '–')
    """
    return f"{tokens / of:.1f}" if of else "–"


def languages_question(gpt2: ShownTokenizer) -> Question:
    """Which language is dearest?"""
    costs = parallel_costs(gpt2)
    dearest = max(costs, key=costs.__getitem__)
    names = {language_name(language): language for language in costs}

    def explain(language: str) -> str:
        message = _("{language}: {tokens}, {times} times the {english} of English.")
        return fill(
            message,
            language=f"<b>{escape(language_name(language))}</b>",
            tokens=token_count(costs[language]),
            times=times_as(costs[language], costs["en"]),
            english=count(costs["en"]),
        )

    def grade(answer: str) -> Verdict:
        language = names[answer.strip()]
        if language == dearest:
            return right(explain(dearest))
        return wrong(sentences(explain(language), explain(dearest)), explain(language))

    prompt = _(
        "Forty short sentences say the same in six languages. In which language does GPT-2 need the most tokens for them?"
    )
    return Question(
        "languages",
        escape(prompt),
        Choice(tuple(names)),
        language_name(dearest),
        grade,
        explain(dearest),
    )


def code_question(gpt2: ShownTokenizer) -> Question:
    """What does indentation cost?"""
    blank = [token for token in tokens_of(gpt2, CODE_LINE) if not token.strip("Ġ")]
    spaces = len(CODE_LINE) - len(CODE_LINE.lstrip())
    prompt = fill(
        _(
            "A line of Python begins with {spaces} spaces: {line}. How many tokens of GPT-2 are nothing but spaces?"
        ),
        spaces=count(spaces),
        line=f"<code>{'␣' * spaces}{escape(CODE_LINE.lstrip())}</code>",
    )
    text = fill(
        _("It is {tokens}: none of its 50,000 merges joins two spaces. The last one belongs to the word."),
        tokens=_chips_of(gpt2, CODE_LINE),
    )
    way = escape(
        _("GPT-2 was trained on web pages, which have little indentation. And where does the last space go?")
    )
    return _number_question("code", prompt, len(blank), text, way)


def glitch_question(gpt2: ShownTokenizer) -> Question:
    """A token the model never met."""
    written = f" {GLITCH}"
    prompt = fill(
        _("{name} is the name of one user of a forum. How many tokens is it for GPT-2, behind a space?"),
        name=f"<b>{GLITCH}</b>",
    )
    text = fill(
        _(
            "{tokens}: its id is {id}. The name was frequent in the text that the tokenizer was trained on, so merging made it a token."
        ),
        tokens=_chips_of(gpt2, written),
        id=", ".join(map(str, gpt2.encode(written).ids)),
    )
    way = escape(_("Anything that is frequent in the tokenizer's text becomes a token."))
    return _number_question("glitch", prompt, len(tokens_of(gpt2, written)), text, way)


def spaces_question(gpt2: ShownTokenizer) -> Question:
    """What does a space at the end of a prompt do?"""
    prompt = fill(
        _("For GPT-2, {prompt} is {tokens}. How many tokens is it with a space at its end?"),
        prompt=f"<b>{escape(PROMPT)}</b>",
        tokens=token_count(len(tokens_of(gpt2, PROMPT))),
    )
    spaced = f"{PROMPT} "
    text = fill(
        _("It is {tokens}: the space is a token of its own, as no word follows that it could begin."),
        tokens=_chips_of(gpt2, spaced),
    )
    way = escape(_("A space usually begins the token of the next word."))
    return _number_question("spaces", prompt, len(tokens_of(gpt2, spaced)), text, way)


SCENES: Final[Mapping[str, Scene]] = {
    "letters": Scene(
        N_("Letters in a word"),
        letters_question,
        N_(
            "To spell a word, a model has to know by heart which letters are in each of its tokens: it can't look."
        ),
        (
            "Edman, Schmid, Fraser: CUTE: Measuring LLMs' Understanding of Their Tokens. 2024, arXiv 2409.15452",
        ),
    ),
    "numbers": Scene(
        N_("Numbers"),
        numbers_question,
        N_(
            "Where the cuts fall depends on which digits were often side by side in a text: the same digit is worth another power of ten in each token. "
            "So newer tokenizers cut numbers in threes, or digit by digit."
        ),
        (
            "Singh, Strouse: Tokenization counts: the impact of tokenization on arithmetic in frontier LLMs. 2024, arXiv 2402.14903",
        ),
    ),
    "languages": Scene(
        N_("Languages"),
        languages_question,
        N_(
            "Users who pay by the token pay more in languages that the vocabulary wasn't trained on, wait longer, and have less room in the context window."
        ),
        (
            "Petrov, La Malfa, Torr, Bibi: Language Model Tokenizers Introduce Unfairness Between Languages. 2023, arXiv 2305.15425",
        ),
    ),
    "code": Scene(
        N_("Code"),
        code_question,
        N_(
            "A tokenizer that saw code in training has tokens for whole indentations: the same program takes fewer tokens, and more of it fits in the context window."
        ),
        ("Chen et al.: Evaluating Large Language Models Trained on Code. 2021, arXiv 2107.03374",),
    ),
    "glitch": Scene(
        N_("Glitch tokens"),
        glitch_question,
        N_(
            "A tokenizer and a model are trained on different texts. A token that the model's text never uses keeps its random starting values, and the model answers it with nonsense."
        ),
        (
            "Rumbelow, Watkins: SolidGoldMagikarp (plus, prompt generation). 2023, LessWrong",
            "Land, Bartolo: Fishing for Magikarp. 2024, arXiv 2405.05417",
        ),
    ),
    "spaces": Scene(
        N_("Spaces and capitals"),
        spaces_question,
        N_(
            "In the model's text, a word's token includes the space in front of it. That token can't come after a lone space, so don't end a prompt with one; and each spelling of a word is another token, learned separately."
        ),
        (
            "Phan, Havasi, Muckley, Ullrich: Understanding and Mitigating Tokenization Bias in Language Models. 2024, arXiv 2406.16829",
        ),
    ),
}
"""The scenes in their order, by their names in links."""
