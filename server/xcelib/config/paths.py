"""Places inside a configuration, as `applications/fluent/resreq/select`.

A part that holds `/` or `~` is escaped as in a JSON pointer (`~1`, `~0`), so that project paths fit in.
"""

Path = tuple[str, ...]


def path_text(path: Path) -> str:
    text = "/".join(path)
    if "~" not in text and text.count("/") == len(path) - 1:  # nearly every path: nothing to escape
        return text
    return "/".join(part.replace("~", "~0").replace("/", "~1") for part in path)


def key_name(path: Path) -> str:
    """The last part as it is written in a source: the model adds the unit to a timer's key, `_s`."""
    return path[-1].removesuffix("_s") if path[0] in ("timers", "history") else path[-1]


def parse_path(text: str) -> Path:
    """The inverse of `path_text`."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/"))
