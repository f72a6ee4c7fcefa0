"""What an error shows of a text that somebody gave: a piece of it, and the place in it."""

from typing import Final

WORD_MAX: Final = 60
LINE_MAX: Final = 100
_BEFORE: Final = 60  # of a longer line, how much is shown before the caret


def shortened(text: str) -> str:
    """A word or value as an error quotes it."""
    return text if len(text) <= WORD_MAX else text[: WORD_MAX - 1] + "…"


def pointed(text: str, column: int) -> str:
    """The line with a caret below `column` (from 0); of a long line the part around it.

    One character is one column here, so a tab is shown as a space, and what cannot be printed as `?`.
    """
    start = max(0, column - _BEFORE) if len(text) > LINE_MAX else 0
    end = start + LINE_MAX
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "?" for c in text[start:end])
    before, after = "…" * (start > 0), "…" * (end < len(text))
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + column - start)}^"
