"""Dependency expressions: `done(12) && exit("prep", 3) || !started(14[2])`.

    expr  := and ("||" and)*          and := not ("&&" not)*          not := "!" not | "(" expr ")" | atom
    atom  := ("done" | "exit" | "ended" | "started") "(" job ["," code] ")" | job
    job   := ID | ID "[" INDEX "]" | ID "[*]" | '"' NAME '"'

A bare job means `done`. `[*]` is element by element: element i waits for element i of the other array.
"""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from xcelib.depends.tree import EVERY, KINDS, Atom, Condition, Join, Kind, Not
from xcelib.errors import Usage, did_you_mean
from xcelib.excerpt import pointed, shortened
from xcelib.jobspec import ARRAY_SIZE_MAX

TEXT_MAX: Final = 4096
NODES_MAX: Final = 256
DEPTH_MAX: Final = 32
EXIT_CODE_MAX: Final = 255
JOB_ID_MAX: Final = 10**18 - 1
NAME_MAX: Final = 256

_TOKEN = re.compile(
    r'(?P<number>[0-9][A-Za-z0-9_]*)|(?P<word>[A-Za-z_]\w*)|(?P<name>"[^"]*")|(?P<sign>&&|\|\||[!()\[\],*])', re.ASCII
)
_SLIPS: Final = {
    "&": "write `&&` for and",
    "|": "write `||` for or",
    "'": "job names stand in double quotes",
    "\n": "write the dependency in one line",
    **dict.fromkeys("<>=", "an exit code is compared for being equal alone, as in `exit(12, 3)`"),
}
_LEFT_OVER: Final = {
    ")": "nothing opens this `)`",
    "[": "an element is named by its job's id, as in `done(12[3])`",
}
_WORDS: Final = {"and": "&&", "or": "||", "not": "!"}
_LATER: Final = frozenset(
    ("external", "post_done", "post_err", "numdone", "numended", "numexit", "numhold", "numpend", "numrun", "numstart")
)
_CONDITION: Final = "`done`, `exit`, `ended`, `started` or a job id"


class BadDependency(Usage):
    """The expression is wrong at `column` (from 0); `detail` shows the place."""

    code = "bad_dependency"

    def __init__(self, *, text: str, column: int, what: str, hint: str = "", code: str | None = None) -> None:
        message = f"the dependency is wrong at column {column + 1}: {what}"
        super().__init__(message, code=code, detail=pointed(text, column), hints=[hint] if hint else [])
        self.column = column


class _Token(NamedTuple):
    kind: str  # a group of `_TOKEN`, or "end"
    text: str
    column: int  # from 0


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    while True:
        while position < len(text) and text[position] in " \t":
            position += 1
        if position == len(text):
            return [*found, _Token("end", "", position)]
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        found.append(_Token(match.lastgroup or "", match[0], position))
        position = match.end()


def _unreadable(text: str, column: int) -> BadDependency:
    character = text[column]
    if character == '"':
        return BadDependency(text=text, column=column, what="the quote is never closed")
    shown = character if character.isprintable() else repr(character)[1:-1]
    hint = _SLIPS.get(character, "")
    return BadDependency(text=text, column=column, what=f"`{shown}` means nothing here", hint=hint)


class _Parser:
    """Recursive descent; it only moves forward, a token at a time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.nodes = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, what: str, hint: str = "", *, code: str | None = None) -> BadDependency:
        return BadDependency(text=self.text, column=self.token.column, what=what, hint=hint, code=code)

    def expected(self, what: str, hint: str = "") -> BadDependency:
        found = f"`{shortened(self.token.text)}`" if self.token.kind != "end" else "the end"
        return self.fail(f"expected {what}, found {found}", hint)

    def takes(self, sign: str) -> bool:
        is_next = self.token.kind == "sign" and self.token.text == sign
        self.at += is_next
        return is_next

    def need(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.expected(f"`{sign}`")

    def number(self, what: str, *, least: int, most: int) -> int:
        text = self.token.text
        if self.token.kind != "number" or not text.isdigit():
            raise self.expected(what)
        if len(text) > len(str(most)) or not least <= int(text) <= most:
            raise self.expected(f"{what} from {least} to {most}")
        self.at += 1
        return int(text)

    def whole(self) -> Condition:
        """The text from its beginning to its end."""
        condition = self.joined("||", 0)
        if self.token.kind == "end":
            return condition
        word = self.token.text.lower()
        hint = f"write `{_WORDS[word]}`" if word in _WORDS else "join conditions with `&&` or `||`"
        if self.token.kind == "sign":
            hint = _LEFT_OVER.get(word, "")
        raise self.expected("`&&`, `||` or the end", hint)

    def joined(self, op: Literal["&&", "||"], depth: int) -> Condition:
        operands: list[Condition] = []
        while True:
            operand = self.negated(depth) if op == "&&" else self.joined("&&", depth)
            operands += operand.operands if isinstance(operand, Join) and operand.op == op else (operand,)
            if not self.takes(op):
                return operands[0] if len(operands) == 1 else Join(op, tuple(operands))

    def negated(self, depth: int) -> Condition:
        self.nodes += 1
        if self.nodes > NODES_MAX:
            raise self.fail(f"the dependency has more than {NODES_MAX} conditions")
        if depth > DEPTH_MAX:
            raise self.fail(f"the dependency nests deeper than {DEPTH_MAX} levels")
        if self.takes("!"):
            return Not(self.negated(depth + 1))
        if self.takes("("):
            inner = self.joined("||", depth + 1)
            self.need(")")
            return inner
        return self.atom()

    def atom(self) -> Condition:
        if self.token.kind in ("number", "name"):
            return Atom("done", *self.job())
        kind = self.kind()
        self.need("(")
        job, index = self.job()
        code = None
        if kind == "exit" and self.takes(","):
            code = self.number("an exit code", least=0, most=EXIT_CODE_MAX)
        self.need(")")
        return Atom(kind, job, index, code)

    def kind(self) -> Kind:
        if self.token.kind != "word":
            raise self.expected(_CONDITION)
        word = self.token.text.lower()
        for known in KINDS:
            if word == known:
                self.at += 1
                return known
        raise self.unknown_word(word)

    def unknown_word(self, word: str) -> BadDependency:
        """A condition that is misspelt or not there yet, a word of another language, or a name without quotes."""
        if word in _LATER:
            return self.fail(f"`{word}` is not supported yet", code="not_supported_yet")
        if word in _WORDS:
            return self.expected(_CONDITION, f"write `{_WORDS[word]}`")
        if self.tokens[self.at + 1].text == "(":
            return self.expected(_CONDITION, next(iter(did_you_mean(word, KINDS)), ""))
        return self.expected(_CONDITION, self.quoted_hint())

    def quoted_hint(self) -> str:
        return f'write "{shortened(self.token.text)}" in double quotes for a job name'

    def job(self) -> tuple[int | str, int | Literal["*"] | None]:
        if self.token.kind == "name":
            return self.name(), None
        if self.token.kind == "word":
            raise self.expected('a job id or "name"', self.quoted_hint())
        number = self.number(
            "a job id" if self.token.kind == "number" else 'a job id or "name"', least=1, most=JOB_ID_MAX
        )
        if not self.takes("["):
            return number, None
        index: int | Literal["*"] = EVERY
        if not self.takes("*"):
            index = self.number("`*` or an element index", least=1, most=ARRAY_SIZE_MAX)
        self.need("]")
        return number, index

    def name(self) -> str:
        name = self.token.text[1:-1]
        if not 1 <= len(name) <= NAME_MAX or not name.isprintable():
            raise self.fail(f"a job name has 1 to {NAME_MAX} characters that can be printed")
        self.at += 1
        return name


@lru_cache(maxsize=4096)
def parse(text: str) -> Condition:
    """The condition of the text; raises `BadDependency`, or `Usage` where there is too much of it."""
    if len(text) > TEXT_MAX:
        raise Usage(f"the dependency has {len(text)} characters, at most {TEXT_MAX}", code="bad_dependency")
    return _Parser(text).whole()
