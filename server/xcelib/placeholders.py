"""Patterns in the paths of a job's files: `%J` job id, `%I` element index, `%N` name, `%H` first host, `%U` user."""

import re

from xcelib.errors import Usage
from xcelib.excerpt import shortened

PLACEHOLDERS = {
    "J": "the job id",
    "I": "the element index",
    "N": "the job name",
    "H": "the first host",
    "U": "the user",
}
_PLACEHOLDER = re.compile(r"%(.?)", re.DOTALL)


def expand(path: str, *, job_id: int, index: int, name: str, host: str, user: str) -> str:
    """The path of one element. `%%` is a per cent sign; another `%x` raises `Usage` naming the column.

    The name is made one that never leads into another folder.
    """
    values = {"J": str(job_id), "I": str(index), "N": _in_its_folder(name), "H": host, "U": user, "%": "%"}

    def value(match: re.Match[str]) -> str:
        letter = match.group(1)
        if letter not in values:
            raise Usage(
                f"`%{letter}` at column {match.start() + 1} of the path `{shortened(path)}` means nothing",
                code="bad_placeholder",
                hints=["use " + ", ".join(f"%{key} ({text})" for key, text in PLACEHOLDERS.items()) + " or %%"],
            )
        return values[letter]

    return _PLACEHOLDER.sub(value, path)


def _in_its_folder(name: str) -> str:
    """A job's name may hold anything printable: slashes become `_`, and so do the dots of one that has only dots."""
    return "_" * len(name) if not name.strip("./") else name.replace("/", "_")
