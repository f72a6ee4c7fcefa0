"""Write what is expected beside each script: run it from the repository, then read the difference."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from xcelib.errors import Usage
from xcelib.options.directives import read_directives

FOLDER = Path(__file__).parent
VALID = sorted((FOLDER / "valid").glob("*.sh"))
INVALID = sorted((FOLDER / "invalid").glob("*.sh"))
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def script_in(path: Path) -> str:
    return path.read_bytes().decode()  # line ends as they are


def expected_beside(path: Path) -> Path:
    return path.with_suffix(".json" if path.parent.name == "valid" else ".txt")


def told_of(script: str) -> str:
    """The options as JSON, or all that the error tells."""
    try:
        values = read_directives(script, now=NOW)
    except Usage as error:
        hints = [f"hint: {hint}" for hint in error.hints]
        return "\n".join([f"{error.code}: {error.message}", error.detail, *hints, ""])
    return msgspec.json.format(msgspec.json.encode(values)).decode() + "\n"


if __name__ == "__main__":
    for each in (*VALID, *INVALID):
        expected_beside(each).write_text(told_of(script_in(each)), encoding="utf-8")
