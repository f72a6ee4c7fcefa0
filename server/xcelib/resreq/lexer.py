"""Tokens of a requirement, each with its column."""

import re
from typing import Literal, NamedTuple

from xcelib.errors import Usage

TEXT_MAX = 4096

TokenKind = Literal["number", "word", "string", "sign", "end"]

_TOKEN = re.compile(
    r"""(?P<number>[0-9]+(?:\.[0-9]+)?(?:[A-Za-z]+)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<string>'[^']*'|"[^"]*")
      | (?P<sign>\|\||&&|==|!=|<=|>=|=>|=<|[=<>!()+*/,:{}@-]|\[|\])""",
    re.VERBOSE | re.ASCII,
)


class Token(NamedTuple):
    kind: TokenKind
    text: str
    column: int  # from 0


class GrammarError(Usage):
    """The text is wrong at `column` (from 0); `detail` shows the line with a caret."""

    code = "bad_requirement"

    def __init__(self, *, text: str, column: int, expected: str, hint: str = "", code: str | None = None) -> None:
        caret = f"  {text}\n  {' ' * column}^" if text.isprintable() and len(text) <= 500 else ""
        message = f"the requirement is wrong at column {column + 1}: {expected}"
        super().__init__(message, code=code, detail=caret, hints=[hint] if hint else [])
        self.text = text
        self.column = column
        self.expected = expected


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
    hints = {"&": "write `&&` for and", "|": "write `||` for or"}
    shown = character if character.isprintable() else repr(character)[1:-1]
    return GrammarError(
        text=text, column=position, expected=f"`{shown}` means nothing here", hint=hints.get(character, "")
    )
