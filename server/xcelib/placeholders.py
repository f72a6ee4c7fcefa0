"""Patterns in the paths of a job's files: `%J` job id, `%I` element index, `%N` name, `%H` first host, `%U` user."""

import re

from xcelib.errors import Usage

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

    A name may hold anything printable, so its slashes become `_`: a name never leads into another folder.
    """
    values = {"J": str(job_id), "I": str(index), "N": name.replace("/", "_"), "H": host, "U": user, "%": "%"}

    def value(match: re.Match[str]) -> str:
        letter = match.group(1)
        if letter not in values:
            raise Usage(
                f"`%{letter}` at column {match.start() + 1} of the path `{path}` means nothing",
                code="bad_placeholder",
                hints=["use " + ", ".join(f"%{key} ({text})" for key, text in PLACEHOLDERS.items()) + " or %%"],
            )
        return values[letter]

    return _PLACEHOLDER.sub(value, path)
