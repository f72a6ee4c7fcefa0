"""One YAML file: bytes in, a tree with positions out, and every fault recorded instead of raised."""

import re
from typing import Any, Final

import yaml

from xceadmin.config.composer import DEPTH_MAX, Composer, Stopped
from xceadmin.config.faults import Faults
from xceadmin.config.nodes import Node, Place
from xcelib.config import codes

BYTES_MAX: Final = 16 << 20

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one wherever PyYAML was built with libyaml
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def read_yaml(content: bytes, *, file: str, faults: Faults) -> Node | None:
    """The root node of a file; None when it is empty or could not be read (then `faults` says why)."""
    text = _decoded(content, file, faults)
    if text is None:
        return None
    composer = Composer(file, faults)
    try:
        composer.feed(yaml.parse(text, Loader=_LOADER))
    except Stopped:
        return None
    except yaml.MarkedYAMLError as error:
        _record_syntax(error, text, file, faults)
        return None
    return composer.root


def split_lines(text: str) -> list[str]:
    """The lines as YAML counts them."""
    return _LINE_BREAK.split(text)


def _decoded(content: bytes, file: str, faults: Faults) -> str | None:
    start = Place(file, 1, 1)
    if len(content) > BYTES_MAX:
        message = f"the file is larger than the {BYTES_MAX:,} bytes that are allowed"
        faults.add(start, codes.TOO_LARGE, message)
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place_at(content[: error.start].decode("utf-8", "replace"), file)
        message = f"byte 0x{content[error.start]:02x} is no UTF-8"
        faults.add(place, codes.ENCODING, message, hint="save the file as UTF-8")
        return None
    bad = _UNREADABLE.search(text)
    if bad is not None:
        place = _place_at(text[: bad.start()], file)
        faults.add(place, codes.ENCODING, f"control character U+{ord(bad[0]):04X} is not allowed", hint="remove it")
        return None
    return text


def _place_at(before: str, file: str) -> Place:
    lines = split_lines(before)
    return Place(file, len(lines), len(lines[-1]) + 1)


def _record_syntax(error: yaml.MarkedYAMLError, text: str, file: str, faults: Faults) -> None:
    mark = error.problem_mark or error.context_mark
    place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
    if "nesting depth" in str(error.problem):  # the scanner looks ahead, and meets its own bound first
        faults.add(place, codes.TOO_DEEP, f"nested more than {DEPTH_MAX} levels deep")
        return
    lines = split_lines(text)
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        place = Place(file, place.line, line.index("\t") + 1)
        faults.add(place, codes.TAB, "a tab indents this line", hint="indent with spaces")
        return
    context = f" {error.context}" if error.context else ""
    faults.add(place, codes.SYNTAX, f"not YAML: {error.problem}{context}", hint=_syntax_hint(line))


def _syntax_hint(line: str) -> str:
    if line.count(": ") > 1 and not line.lstrip().startswith(("-", "{", "[")):
        return "quote a text that holds `: `"
    return "check the indentation, brackets and quotes of this line and the one before"
