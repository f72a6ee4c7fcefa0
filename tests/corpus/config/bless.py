"""Write the expected report beside each invalid configuration: run it from the repository, then read the diff."""

import re
from pathlib import Path

from xceadmin.config.build import build_files
from xceadmin.config.report import to_text

FOLDER = Path(__file__).parent
_FILE = re.compile(r"^## (\S+)\n", re.MULTILINE)


def files_of(text: str) -> dict[str, bytes]:
    """The source files of one case."""
    _, *pieces = _FILE.split(text)
    return {name: body.encode() for name, body in zip(pieces[::2], pieces[1::2], strict=True)}


def report_of(text: str) -> str:
    """What a build prints about one case: errors, then warnings."""
    result = build_files(files_of(text))
    return to_text((*result.faults, *result.warnings), result.texts)


if __name__ == "__main__":
    for path in sorted((FOLDER / "invalid").glob("*.yaml")):
        path.with_suffix(".txt").write_text(report_of(path.read_text(encoding="utf-8")), encoding="utf-8")
