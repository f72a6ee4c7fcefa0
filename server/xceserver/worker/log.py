"""One line an event on standard error: `event key=value`. Used by processes that must not import `logging`."""

import os
import re

_PLAIN = re.compile(r"[!-~]+\Z")


def line(event: str, fields: dict[str, object]) -> str:
    """The line without its newline; values that are not plain words are quoted."""
    return " ".join([event, *(f"{name}={_quoted(str(value))}" for name, value in fields.items())])


def log(event: str, **fields: object) -> None:
    """Write one line; a full disk or a closed pipe never stops the caller."""
    try:
        os.write(2, (line(event, fields) + "\n").encode("utf-8", "backslashreplace"))
    except OSError:
        pass


def _quoted(text: str) -> str:
    return text if _PLAIN.match(text) and '"' not in text else '"' + repr(text)[1:-1].replace('"', '\\"') + '"'
