"""The one error of the requirement grammar: what was expected, where, and the line with a caret."""

from typing import Final

from xcelib.errors import Usage

LINE_MAX: Final = 100
_BEFORE: Final = 60  # of a longer line, how much is shown before the caret


class GrammarError(Usage):
    """The text is wrong at `column` (from 0); `expected` says why, `detail` shows the place."""

    code = "bad_requirement"

    def __init__(self, *, text: str, column: int, expected: str, hint: str = "", code: str | None = None) -> None:
        message = f"the requirement is wrong at column {column + 1}: {expected}"
        super().__init__(message, code=code, detail=_pointed(text, column), hints=[hint] if hint else [])
        self.text = text
        self.column = column
        self.expected = expected


def _pointed(text: str, column: int) -> str:
    """The line with a caret below the place; of a long line the part around it.

    One character is one column here, so a tab is shown as a space, and what cannot be printed as `?`.
    """
    start = max(0, column - _BEFORE) if len(text) > LINE_MAX else 0
    end = start + LINE_MAX
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "?" for c in text[start:end])
    before, after = "…" * (start > 0), "…" * (end < len(text))
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + column - start)}^"
