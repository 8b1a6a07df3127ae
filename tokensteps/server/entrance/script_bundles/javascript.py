"""What can be told of a script without running it: whether a variable keeps the value that it has when the script has run.

Only what is certain counts. A script is read as far as that takes: its words and brackets, and where a name is written to. All
uses of a name may be seen at once, as minified scripts use the same short ones everywhere: what matters is whether a function or
a block around a use has a variable of its own that is called so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

TOKEN: Final = re.compile(
    r"""(?P<gap>[ \t]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/|[\n\r\u2028\u2029])
      |(?P<name>(?:[#$]|[^\W\d])[\w$]*)
      |(?P<bracket>[(){}\[\]])
      |(?P<value>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
      |(?P<tick>`)
      |(?P<slash>/=?)
      |(?P<sign>=>|\+\+|--|\?\?=|&&=|\|\|=|\*\*=|<<=|>>>=|>>=|[=!]==?|[<>]=|[-+*%&|^]=|\?\.(?!\d)|\.\.\.|[-+*%&|^!~<>=?:;,.@])""",
    re.VERBOSE | re.DOTALL,
)
EXPRESSION: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
"""A regular expression."""
TEMPLATE: Final = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
"""A text between backticks, up to its end or to an expression in it."""
VALUE: Final = '"'
"""What stands for any text, number or regular expression."""
BEFORE_EXPRESSION: Final = frozenset(
    {"return", "typeof", "instanceof", "in", "new", "delete", "void", "throw", "case", "do", "else", "await", "yield"}
)  # fmt: skip
"""Words after which a slash begins a regular expression."""
HEADED: Final = frozenset({"if", "while", "for", "with"})
"""Words with parentheses after which a statement comes."""
ASSIGNS: Final = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??="}
)
DECLARES: Final = frozenset({"var", "let", "const"})
STATEMENTS: Final = frozenset(
    {"if", "for", "while", "do", "return", "throw", "switch", "case", "default", "break", "continue", "try", "catch",
     "finally", "else", "with", "debugger"}
)  # fmt: skip
"""Words that begin a statement, or a part of one."""
BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
OPENING_BRACKETS: Final = frozenset({"(", "[", "{", "${"})
"""`${` is an expression's in a text between backticks."""


class Unclear(Exception):
    """Raised for a script that can't be read for certain."""


class Script:
    """The words of a script, signs included."""

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.within: list[int] = []
        """For each word the bracket that it is in, -1 outside of all."""
        self.partner: dict[int, int] = {}
        """Each bracket's other one."""
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        """Where each name is, where it isn't a property's."""
        self.after_break: set[int] = set()
        """Words that begin a line."""
        self._open = [-1]
        self._read(text)
        if len(self._open) > 1 or self.called("eval"):
            raise Unclear
        self.words += [";", ";"]  # what follows the last word

    # --- Reading --------------------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        # A page's scripts have a million words: for the common kinds, nothing is called.
        words, within, places, around = self.words, self.within, self.places, self._open
        at, size = 0, len(text)
        while at < size:
            for found in TOKEN.finditer(text, at):
                if found.start() != at:
                    raise Unclear
                kind, word, at = found.lastgroup, found[0], found.end()
                if kind == "name":
                    if not words or words[-1] not in (".", "?."):
                        places[word].append(len(words))
                elif kind == "value":
                    word = VALUE
                elif kind != "sign":
                    after = self._unlike_words(kind, word, text, at)
                    if after != at:
                        at = after
                        break  # goes on from there
                    continue
                words.append(word)
                within.append(around[-1])
            else:
                if at < size:
                    raise Unclear

    def _unlike_words(self, kind: str | None, word: str, text: str, at: int) -> int:
        """Take in what is no plain word, and ends at this place; where it is really at its end."""
        if kind == "bracket":
            return self._template(text, at) if self._bracket(word) else at
        if kind == "tick":
            return self._template(text, at)
        if kind == "slash":
            pattern = EXPRESSION.match(text, at - len(word)) if self._expression_may_begin() else None
            self._add(word if pattern is None else VALUE)
            return at if pattern is None else pattern.end()
        if not word.isspace() or word in "\n\r\u2028\u2029":
            self.after_break.add(len(self.words))
        return at

    def _add(self, word: str) -> None:
        self.words.append(word)
        self.within.append(self._open[-1])

    def _bracket(self, word: str) -> bool:
        """Take a bracket in; whether it ends an expression in a text between backticks."""
        if word not in BRACKETS:
            self._add(word)
            self._open.append(len(self.words) - 1)
            return False
        opened = self._open.pop()
        if opened < 0 or self.words[opened][-1] != BRACKETS[word]:
            raise Unclear
        self._add(word)
        self.partner[opened], self.partner[len(self.words) - 1] = len(self.words) - 1, opened
        return self.words[opened] == "${"

    def _template(self, text: str, at: int) -> int:
        found = TEMPLATE.match(text, at)
        if found is None:
            raise Unclear
        if found[1] == "`":
            self._add(VALUE)
        else:
            self._bracket("${")
        return found.end()

    def _expression_may_begin(self) -> bool:
        """Whether a slash begins a regular expression; else it divides."""
        last = len(self.words) - 1
        word = self._before(last + 1)
        if word in (
            "}",
            "of",
        ):  # of a block or an object, of a loop or a variable: only the whole grammar tells
            raise Unclear
        if word == ")":
            head = self.partner[last]
            return self._before(head) in HEADED and self._before(head - 1) not in (".", "?.")
        if _is_name(word):
            return word in BEFORE_EXPRESSION and self._before(last) not in (".", "?.")
        return word not in ("]", VALUE, "++", "--")

    def _before(self, at: int) -> str:
        return self.words[at - 1] if at > 0 else ";"

    def called(self, name: str) -> bool:
        """Whether a name stands before a parenthesis."""
        return any(self.words[at + 1 : at + 2] == ["("] for at in self.places[name])

    # --- What is written to ---------------------------------------------------------------------------------------------

    def settled(self, name: str) -> bool:
        """Whether a variable of the script itself certainly keeps the value that it has when the script has run."""
        return all(
            self._at_once(at) or self._of_its_own(name, at) for at in self.places[name] if self._written(at)
        )

    def _written(self, at: int) -> bool:
        """Whether the name there may be written to, where it is declared included."""
        while self._before(at) == "(" and self._after(at) == ")":
            at = self.within[at]
        before, after = self._before(at), self._after(at)
        if after in ASSIGNS or after in ("++", "--") or before in ("++", "--"):
            return True
        if before == "(" and after in ("of", "in"):
            return True
        bracket = self.within[at]
        while bracket >= 0 and self.words[bracket] in "[{":
            if self.words[self.partner[bracket] + 1] in ("=", "of", "in") and not self._is_index(bracket):
                return True
            bracket = self.within[bracket]
        return False

    def _is_index(self, bracket: int) -> bool:
        """Whether a bracket is what is written behind a value: `a[b]`."""
        before = self._before(bracket)
        if self.words[bracket] != "[" or before in BEFORE_EXPRESSION | DECLARES | STATEMENTS | {"of"}:
            return False
        if before == ")" and self._before(self.partner[bracket - 1]) in HEADED:
            return False
        return _is_name(before) or before in (")", "]", VALUE, "?.")

    def _at_once(self, at: int) -> bool:
        """Whether what is there is done before the script has ended: no function is around it, nor anything that might be one."""
        while at >= 0:
            if any(self.words[one] == "=>" for one in self._back(at, (",", ";"))):
                return False
            at = self.within[at]
            if at >= 0 and (self.words[at] in ("{", "${") or self._after(at) in ("{", "=>")):
                return False
        return True

    def _back(self, at: int, ends: tuple[str, ...]) -> Iterator[int]:
        """The words before this one in the same bracket, the nearest first, up to one of `ends`; of a bracket, its closing half."""
        at -= 1
        while at >= 0 and self.words[at] not in OPENING_BRACKETS and self.words[at] not in ends:
            yield at
            at = self.partner[at] - 1 if self.words[at] in BRACKETS else at - 1

    # --- Whose it is ----------------------------------------------------------------------------------------------------

    def _of_its_own(self, name: str, at: int) -> bool:
        """Whether a function or a block around this place certainly has a variable of its own that is called so."""
        while at >= 0:
            if self._by_arrow(name, at) or self._by_loop(name, at):
                return True
            around = self.within[at]
            if around >= 0 and self._by_bracket(name, around):
                return True
            at = around
        return False

    def _by_arrow(self, name: str, at: int) -> bool:
        """Whether an arrow function around, in the same bracket, has a parameter of this name."""
        if at in self.after_break:
            return False
        for one in self._back(at, (",", ";", ":")):
            if self.words[one] == "=>":
                if self.words[one + 1] == "{" and one + 1 != at:  # it has ended
                    return False
                before = self._before(one)
                if before == name or (before == ")" and self._takes(name, self.partner[one - 1])):
                    return True
            if one in self.after_break:
                return False
        return False

    def _by_loop(self, name: str, at: int) -> bool:
        """Whether a loop without a block, which ends with what is here, declares this name in its head."""
        if at in self.after_break:
            return False
        for one in self._back(at, (";", "}")):
            if self.words[one] == ")" and self._before(self.partner[one]) == "for":
                return self.words[one + 1] != "{" and self._declares(name, self.partner[one])
            if one in self.after_break:
                return False
        return False

    def _by_bracket(self, name: str, bracket: int) -> bool:
        """Whether a bracket is a function's, or a block's, that has a variable of this name."""
        if self.words[bracket] == "(":
            return self._by_head(name, bracket)
        if self.words[bracket] != "{":
            return False
        headed = self._before(bracket) == ")" and self._by_head(name, self.partner[bracket - 1])
        return headed or self._declares(name, bracket)

    def _by_head(self, name: str, bracket: int) -> bool:
        """Whether parentheses are a loop's that declares this name, or have a parameter of this name."""
        if self._before(bracket) == "for":
            return self._declares(name, bracket)
        return self._has_parameters(bracket) and self._takes(name, bracket)

    def _has_parameters(self, bracket: int) -> bool:
        """Whether a parenthesis is a function's, a method's or that of `catch`."""
        behind = self.partner[bracket] + 1
        if self.words[behind] == "=>":
            return True
        if self.words[behind] != "{" or behind in self.after_break:
            return False
        before, further = self._before(bracket), self._before(bracket - 1)
        if before in ("function", "catch") or further == "function":
            return True
        named = (_is_name(before) and before not in STATEMENTS) or before == VALUE
        return named and further in ("{", "}", ",", ";", "get", "set", "async", "static", "*")

    def _takes(self, name: str, bracket: int) -> bool:
        """Whether parameters in parentheses have one of this name."""
        for at in self._inside(name, bracket):
            one = self._outermost(at, bracket)
            if one >= 0 and self._before(one) in ("(", ",", "...") and self._after(one) in (",", ")", "="):
                return True
        return False

    def _declares(self, name: str, bracket: int) -> bool:
        """Whether something is declared under this name directly in a block, or in the head of a loop."""
        for at in self._inside(name, bracket):
            one = self._outermost(at, bracket)
            before = self._before(one) if one >= 0 else ""
            if before in DECLARES or (before == "," and self._is_listed(one)):
                return True
            if before in ("function", "class") and self._before(one - 1) in ("{", "}", ";"):
                return True
        return False

    def _is_listed(self, at: int) -> bool:
        """Whether what is behind a comma is declared, as what is before it."""
        for one in self._back(at, (";",)):
            if one in self.after_break:
                return False
            if self._before(one) in (".", "?."):
                continue
            if self.words[one] in DECLARES:
                return _is_name(self.words[one + 1]) or self.words[one + 1] in ("{", "[")
            if self.words[one] in STATEMENTS or self.words[one] in ("in", "of"):
                return False
        return False

    def _inside(self, name: str, bracket: int) -> Iterator[int]:
        return (at for at in self.places[name] if bracket < at < self.partner[bracket])

    def _outermost(self, at: int, bracket: int) -> int:
        """Of a name that is directly in a bracket, or in a pattern there, the name or the whole pattern; else -1."""
        while self.within[at] != bracket:
            around = self.within[at]
            if around < 0 or self.words[around] not in "[{" or self._after(at) not in (",", "}", "]", "="):
                return -1
            before = self._before(at)
            keyed = (
                before == ":" and self._before(at - 2) in ("{", ",") and self._before(at - 1) not in BRACKETS
            )
            if not keyed and before not in ("[", "{", ",", "..."):
                return -1
            at = around
        return at

    def _after(self, at: int) -> str:
        """The word after a name, or after a whole bracket."""
        return self.words[self.partner.get(at, at) + 1]


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] in "_$#"
