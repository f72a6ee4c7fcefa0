"""Write the expected text beside each requirement: run it from the repository, then read the diff."""

from pathlib import Path

from xcelib.errors import Usage
from xcelib.resreq.parser import parse
from xcelib.resreq.printer import to_text

FOLDER = Path(__file__).parent
VALID = sorted((FOLDER / "valid").glob("*.resreq"))
INVALID = sorted((FOLDER / "invalid").glob("*.resreq"))


def requirement_in(path: Path) -> str:
    return path.read_text(encoding="utf-8").removesuffix("\n")


def expected_for(path: Path) -> str:
    return path.with_suffix(".txt").read_text(encoding="utf-8")


def told_of(text: str) -> str:
    """The canonical form, or all that the error tells."""
    try:
        return to_text(parse(text)) + "\n"
    except Usage as error:
        hints = [f"hint: {hint}" for hint in error.hints]
        return "\n".join([f"{error.code}: {error.message}", *filter(None, [error.detail]), *hints, ""])


if __name__ == "__main__":
    for each in (*VALID, *INVALID):
        each.with_suffix(".txt").write_text(told_of(requirement_in(each)), encoding="utf-8")
