"""Bounds of what profiles carry (params, annotations, variables, limits), and its exported names."""

import re

NAME_MAX = 64
VALUE_BYTES_MAX = 4 << 10
ENTRIES_MAX = 64
TOTAL_BYTES_MAX = 32 << 10

LIMIT_MAX = (1 << 63) - 1  # what the kernel takes
ZERO_IS_A_VALUE = frozenset({"core_size", "swap"})  # "no core file", "no swap"

_OUTSIDE = re.compile(r"[^A-Z0-9]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def is_variable_name(text: str) -> bool:
    """Whether `text` may name an environment variable: letters, digits and `_`, no digit first."""
    return _VARIABLE.match(text) is not None


def exported_name(name: str) -> str:
    """`solver.kind` becomes `SOLVER_KIND`: upper-case, and `_` for every character outside A-Z0-9."""
    return _OUTSIDE.sub("_", name.upper())


def value_fault(value: str) -> str:
    """What is wrong with the value of a param, an annotation or a variable; "" when nothing is."""
    if "\0" in value or "\n" in value:
        return "it may hold no NUL and no newline"
    size = len(value.encode(errors="surrogatepass"))
    return f"it is {size:,} bytes long, at most {VALUE_BYTES_MAX:,} are allowed" if size > VALUE_BYTES_MAX else ""


def name_fault(name: str) -> str:
    """What is wrong with the name of a param or annotation; "" when nothing is."""
    if not name or not name.isprintable() or "=" in name or name != name.strip():
        return "a name is printable text without `=`"
    return f"it is {len(name)} characters long, at most {NAME_MAX} are allowed" if len(name) > NAME_MAX else ""


def is_limit_value(name: str, value: int) -> bool:
    """Whether a limit may have this value: above 0, or 0 where that forbids the thing itself."""
    return 0 < value <= LIMIT_MAX or (value == 0 and name in ZERO_IS_A_VALUE)
