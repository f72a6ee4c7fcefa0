"""Option values: from the words of a command line or directive, and from the types of a preset."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from xcelib.errors import Usage, did_you_mean
from xcelib.options.table import Option
from xcelib.quantity import (
    format_duration,
    format_size,
    format_task_range,
    parse_array,
    parse_duration,
    parse_exit_codes,
    parse_size,
    parse_task_range,
    parse_when,
)
from xcelib.resreq.sections import join_repeated, split_sections

Values = dict[str, Any]  # option name -> its value in base units


def parse_words(option: Option, words: Sequence[str], *, now: datetime) -> Any:
    """The value of an option given once, or several times where it may be repeated. Raises `Usage` naming it."""
    try:
        return _parse(option, words, now=now)
    except Usage as error:
        message = f"--{option.name}: {error.message}"
        raise Usage(message, code=error.code, hints=error.hints, detail=error.detail) from error


def _parse(option: Option, words: Sequence[str], *, now: datetime) -> Any:
    match option.kind:
        case "pairs":
            return _pairs(option, words)
        case "texts":
            return list(dict.fromkeys(words))
        case "resreq":
            joined = join_repeated(list(words))
            split_sections(joined)
            return joined
    if len(words) != 1:
        raise Usage(f"given {len(words)} times, it takes one value", code="repeated_option")
    word = words[0]
    match option.kind:
        case "whole":
            return _whole(word)
        case "size":
            return parse_size(word)
        case "duration":
            return parse_duration(word)
        case "when":
            return parse_when(word, now=now)
        case "tasks":
            return parse_task_range(word)
        case "array":
            return parse_array(word)
        case "codes":
            return parse_exit_codes(word)
        case "choice":
            return _choice(option, word)
    return word


def _whole(word: str) -> int:
    if not word.isascii() or not word.isdigit() or len(word) > 12:
        raise Usage(f"`{word[:40]}` is no whole number", code="bad_number")
    return int(word)


def _choice(option: Option, word: str) -> str:
    if word not in option.choices:
        hints = did_you_mean(word, option.choices, otherwise=f"one of {', '.join(option.choices)}")
        raise Usage(f"there is no `{word[:40]}`", code="bad_choice", hints=hints)
    return word


def _pairs(option: Option, words: Sequence[str]) -> dict[str, str | None]:
    """`NAME=VALUE` words; only `--env` takes a name alone (None: pass the one that is set)."""
    pairs: dict[str, str | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or (not equals and option.name != "env"):
            raise Usage(
                f"`{word[:60]}` is no {option.metavar}", code="bad_pair", hints=[f"write it as {option.metavar}"]
            )
        if (option.name, name) == ("meta", "presets"):
            raise Usage("`presets` is written by the client itself", code="reserved_meta")
        given = value if equals else None
        if pairs.get(name, given) != given:
            raise Usage(f"`{name[:40]}` is given twice, with two values", code="repeated_option")
        pairs[name] = given
    return pairs


def from_preset(option: Option, value: object, *, now: datetime) -> Any:
    """The value of a preset's entry, which has the type that the option has. Raises `Usage`."""
    match option.kind, value:
        case "flag", bool():
            return value
        case "whole" | "tasks", int() if not isinstance(value, bool):
            return parse_words(option, [str(value)], now=now)
        case "codes", int() if not isinstance(value, bool):
            return parse_words(option, [str(value)], now=now)
        case "codes", list() if all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            return parse_words(option, [",".join(map(str, value))], now=now)
        case "pairs", dict() if all(isinstance(v, str | int | float) for v in value.values()):
            return parse_words(option, [f"{name}={_plain(v)}" for name, v in value.items()], now=now)
        case "texts" | "resreq", list() if all(isinstance(v, str) for v in value):
            return parse_words(option, value, now=now)
        case ("flag", _) | ("pairs", _):
            pass
        case _, str():
            return parse_words(option, [value], now=now)
    wanted = {"flag": "true or false", "pairs": "a table of names and values", "texts": "a list of texts"}
    kind = {"whole": "a whole number", "tasks": "a count or a range", "codes": "a list of exit codes"}.get(
        option.kind, "a text"
    )
    raise Usage(f"`{option.name}` is {wanted.get(option.kind, kind)}, not {_type_name(value)}", code="wrong_type")


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else ("true" if value is True else "false" if value is False else str(value))


def _type_name(value: object) -> str:
    names = {
        bool: "a truth value",
        int: "a number",
        float: "a fraction",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), type(value).__name__)


def canonical(option: Option, value: Any) -> Any:
    """The value in base units and plain types, for hashes: `2h` and `120m` are the same."""
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    return list(value) if isinstance(value, tuple) else value


def to_words(option: Option, value: Any) -> list[str]:
    """The words that give this value on a command line."""
    flag = f"--{option.name}"
    match option.kind:
        case "flag":
            return [flag] if value else []
        case "pairs":
            return [word for name, text in value.items() for word in (flag, name if text is None else f"{name}={text}")]
        case "texts":
            return [word for text in value for word in (flag, text)]
    return [flag, value_text(option, value)]


def value_text(option: Option, value: Any) -> str:
    """The value as people write it."""
    match option.kind:
        case "size":
            return format_size(value)
        case "duration":
            return format_duration(value)
        case "tasks":
            return format_task_range(value)
        case "codes":
            return ",".join(map(str, value))
        case "array":
            ranges = ",".join(_range_text(*each) for each in value.ranges)
            return ranges + (f"%{value.limit}" if value.limit else "")
    return str(value)


def _range_text(first: int, last: int, step: int) -> str:
    if first == last:
        return str(first)
    return f"{first}-{last}" + (f":{step}" if step != 1 else "")
