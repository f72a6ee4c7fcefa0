"""The bounds of the request's fields, told by the option that went past one. The types of `JobSpec` state them."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from xcelib.errors import Usage
from xcelib.jobspec import JobSpec

_TYPES: Final = {field.name: field.type for field in msgspec.structs.fields(JobSpec)}
_LENGTH = re.compile(r"Expected `str` of length <= (\d+)")
_MOST = re.compile(r"Expected `int` <= (\d+)")


def check_bounds(fields: Mapping[str, Any], options: Mapping[str, str]) -> None:
    """Raise `Usage` for a field (by its name) that no request may hold; `options` says which option set it."""
    for name, value in fields.items():
        try:
            msgspec.convert(msgspec.to_builtins(value), _TYPES[name])
        except msgspec.ValidationError as error:
            raise Usage(f"--{options[name]}: {_words(str(error), value)}", code="out_of_bounds") from error


def _words(message: str, value: Any) -> str:
    if most := _MOST.match(message):
        return f"at most {most[1]}, not `{value}`" if isinstance(value, int) else f"at most {most[1]}"
    if length := _LENGTH.match(message):
        return f"at most {length[1]} characters"
    return message[:1].lower() + message[1:]
