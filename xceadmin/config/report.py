"""Faults for people, with the line and a caret, and for programs."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from xceadmin.config.faults import SourceFault
from xceadmin.config.reader import split_lines
from xcelib.secrets import looks_secret_name, looks_secret_value

LINE_WIDTH_MAX: Final = 100

_KEYS = re.compile(r"(?<![\w.\-])([\w.\-]+)[\"']?[ ]?[:=]")
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s,:\[\]{}]+")


def to_text(faults: Iterable[SourceFault], texts: Mapping[str, str]) -> str:
    """One block a fault: place, code and message, the line with a caret under the place, the hint."""
    lines = {file: split_lines(text) for file, text in texts.items()}
    return "".join(_block(fault, lines.get(fault.place.file, [])) for fault in faults)


def to_json(faults: Iterable[SourceFault]) -> bytes:
    """One versioned object with all faults."""
    rows = [
        {
            "file": fault.place.file,
            "line": fault.place.line,
            "column": fault.place.column,
            "severity": fault.severity,
            "code": fault.code,
            "message": fault.message,
            "hint": fault.hint,
            "path": fault.path,
        }
        for fault in faults
    ]
    return msgspec.json.encode({"schema": "xce.config.faults/1", "faults": rows}) + b"\n"


def to_github(faults: Iterable[SourceFault]) -> str:
    """Workflow commands that GitHub shows beside the line."""
    return "".join(
        f"::{fault.severity} file={_escaped(fault.place.file)},line={fault.place.line},"
        f"col={fault.place.column},title={fault.code}::{_escaped(fault.message)}\n"
        for fault in faults
    )


def _escaped(text: str) -> str:
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(character, code)
    return text


def _block(fault: SourceFault, lines: list[str]) -> str:
    block = f"{fault.place}: {fault.severity} {fault.code}: {_harmless(fault.message)}\n"
    number = fault.place.line
    if number <= len(lines) and lines[number - 1].strip() and _may_be_shown(lines[number - 1]):
        block += _marked(lines[number - 1], number, fault.place.column)
    if fault.hint:
        block += f"  hint: {_harmless(fault.hint)}\n"
    return block


def _may_be_shown(line: str) -> bool:
    """A line that may hold a secret is not repeated."""
    return not looks_secret_value(line) and not any(looks_secret_name(key) for key in _KEYS.findall(line))


def _marked(line: str, number: int, column: int) -> str:
    """The line, cut to a window around the place, and carets under the word there."""
    token = _TOKEN.match(line, column - 1)
    width = max(1, len(token[0]) if token else 1)
    start = max(0, column - LINE_WIDTH_MAX // 2) if len(line) > LINE_WIDTH_MAX else 0
    shown = _harmless(line[start : start + LINE_WIDTH_MAX])
    gutter = f"{number:>5} | "
    indent = " " * (column - 1 - start)
    return f"{gutter}{shown}\n{' ' * 5} | {indent}{'^' * min(width, LINE_WIDTH_MAX - len(indent))}\n"


def _harmless(text: str) -> str:
    """Without characters that steer a terminal or turn its direction; a tab keeps its one column."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)
