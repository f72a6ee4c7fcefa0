"""Tokens of a requirement, each with its column."""

import re
from typing import Final, Literal, NamedTuple

from xcelib.errors import Usage
from xcelib.resreq.errors import GrammarError

TEXT_MAX: Final = 4096

TokenKind = Literal["number", "word", "string", "sign", "end"]

# A number takes all letters and digits that follow (`4G`, `1h30m`, `0x10`): whoever reads it judges the whole.
_TOKEN = re.compile(
    r"""(?P<number>[0-9]+(?:\.[0-9]+)?(?:[A-Za-z_][A-Za-z0-9_]*)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<string>'[^']*'|"[^"]*")
      | (?P<sign>\|\||&&|==|!=|<=|>=|=>|=<|[=<>!()+*/,:{}@-]|\[|\])""",
    re.VERBOSE | re.ASCII,
)
_HINTS: Final = {"&": "write `&&` for and", "|": "write `||` for or", "\n": "write the requirement in one line"}


class Token(NamedTuple):
    kind: TokenKind
    text: str
    column: int  # from 0

    @property
    def is_bare(self) -> bool:
        """Whether it is a number without a unit."""
        return self.kind == "number" and self.text.replace(".", "").isdigit()


def tokens(text: str) -> list[Token]:
    """All tokens and an `end`; raises `GrammarError` at the first character that begins none."""
    if len(text) > TEXT_MAX:
        raise Usage(f"the requirement has {len(text)} characters, at most {TEXT_MAX}", code="bad_requirement")
    found: list[Token] = []
    position = 0
    while True:
        while position < len(text) and text[position] in " \t":
            position += 1
        if position == len(text):
            found.append(Token("end", "", position))
            return found
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        kind: TokenKind = match.lastgroup  # type: ignore[assignment]  # one of the four groups
        found.append(Token(kind, match.group(), position))
        position = match.end()


def _unreadable(text: str, position: int) -> GrammarError:
    character = text[position]
    if character in "'\"":
        return GrammarError(text=text, column=position, expected="the quote is never closed")
    hint = _HINTS.get(character, "")
    if character.isalpha():
        hint = "write a text with other letters than a-z in quotes"
    shown = character if character.isprintable() else repr(character)[1:-1]
    return GrammarError(text=text, column=position, expected=f"`{shown}` means nothing here", hint=hint)
