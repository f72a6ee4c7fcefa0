"""Where a parser is in its text: tokens, bounds, and errors that know their place."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from xcelib.errors import Usage, did_you_mean
from xcelib.excerpt import shortened
from xcelib.quantity import MemoryUnit, parse_size
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.lexer import Token, tokens

NODES_MAX: Final = 256
DEPTH_MAX: Final = 32

_RUN = re.compile(r"[A-Za-z0-9_.-]*", re.ASCII)


class Cursor:
    """The tokens and where the parser is; all grammars of a requirement share it.

    It only moves forward, a token at a time, so parsing is linear in the text.
    """

    def __init__(self, text: str, known: Mapping[str, Descriptor], memory_unit: MemoryUnit) -> None:
        self.text = text
        self.known = known
        self.memory_unit: MemoryUnit = memory_unit
        self._tokens = tokens(text)
        self._at = 0
        self._nodes = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def peek(self, ahead: int = 1) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self._at += token.kind != "end"
        return token

    def takes(self, *signs: str) -> Token | None:
        """The next token if it is one of the signs; it is behind the cursor then."""
        token = self.token
        if token.kind == "sign" and token.text in signs:
            return self.advance()
        return None

    def need(self, sign: str, *, hint: str = "") -> None:
        if self.takes(sign) is None:
            raise self.expected(f"`{sign}`", hint=hint)

    def expected(self, what: str, *, hint: str = "") -> GrammarError:
        found = f"found `{shortened(self.token.text)}`" if self.token.kind != "end" else "found the end"
        return self.error(f"expected {what}, {found}", hint=hint)

    def error(self, what: str, *, column: int | None = None, hint: str = "", code: str | None = None) -> GrammarError:
        where = self.token.column if column is None else column
        return GrammarError(text=self.text, column=where, expected=what, hint=hint, code=code)

    def count_node(self, depth: int) -> None:
        self._nodes += 1
        if self._nodes > NODES_MAX:
            raise self.error(f"the requirement has more than {NODES_MAX} parts")
        if depth > DEPTH_MAX:
            raise self.error(f"the requirement nests deeper than {DEPTH_MAX} levels")

    def unknown(self, name: str, column: int) -> GrammarError:
        """The name is no attribute: misspelt, or the beginning of a text that needs quotes (`node-01`)."""
        run = _RUN.match(self.text, column)
        quoted = f"write `'{shortened(run[0] if run else name)}'` in quotes if it is a text"
        hint = near(name, self.known, otherwise=quoted) if run is None or run[0] == name else quoted
        message = f"no attribute is named `{shortened(name)}`"
        return self.error(message, column=column, hint=hint, code="unknown_attribute")

    def size(self, token: Token) -> int:
        """The bytes of a literal, with its unit or the configuration's; the error shows its place."""
        try:
            return parse_size(token.text, memory_unit=self.memory_unit)
        except Usage as error:
            hint = error.hints[0] if error.hints else ""
            raise self.error(error.message, column=token.column, hint=hint, code=error.code) from error


def near(name: str, known: Collection[str], *, otherwise: str = "") -> str:
    """The hint for a misspelt name, whatever its case."""
    return next(iter(did_you_mean(name.lower(), known, otherwise=otherwise)), "")
