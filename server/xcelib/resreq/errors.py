"""The one error of the requirement grammar: what was expected, where, and the line with a caret."""

from xcelib.errors import Usage
from xcelib.excerpt import pointed


class GrammarError(Usage):
    """The text is wrong at `column` (from 0); `expected` says why, `detail` shows the place."""

    code = "bad_requirement"

    def __init__(self, *, text: str, column: int, expected: str, hint: str = "", code: str | None = None) -> None:
        message = f"the requirement is wrong at column {column + 1}: {expected}"
        super().__init__(message, code=code, detail=pointed(text, column), hints=[hint] if hint else [])
        self.text = text
        self.column = column
        self.expected = expected
