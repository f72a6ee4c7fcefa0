"""What looks like a secret: names and values that profiles, presets and exports warn about.

A warning names the place and the name, never the value.
"""

import re
from typing import Final

MASK: Final = "********"

_ANYWHERE: Final = (
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "SECRET",
    "CREDENTIAL",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
)
_LAST_WORD: Final = frozenset({"TOKEN", "PWD", "PASS", "AUTH", "KEY"})
_NEVER: Final = frozenset({"PWD", "OLDPWD"})
_PLAIN_PASS: Final = frozenset({"BYPASS", "COMPASS", "ENCOMPASS", "OVERPASS", "SURPASS", "TRESPASS", "UNDERPASS"})

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^A-Z0-9]+")

_VALUE_SHAPES: Final = tuple(
    re.compile(shape)
    for shape in (
        r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
        r"(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])",  # Alibaba Cloud
        r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",  # Google Cloud
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})",
        r"(?<![A-Za-z0-9])(?:glpat-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10})",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",  # a JWT
        # a URL's password; one that is taken from a variable is none
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://[^/\s:@?#]{0,256}:(?!\$)[^/\s@]{1,256}@",
    )
)


def looks_secret_name(name: str) -> bool:
    """Whether the name of a variable, param or annotation says that its value is a secret."""
    words = _words(name)
    joined = "_".join(words)
    if joined in _NEVER:
        return False
    if any(part in joined for part in _ANYWHERE):
        return True
    if words and words[-1] in _LAST_WORD:
        return True
    return any(word.endswith("PASS") and word not in _PLAIN_PASS for word in words)


def looks_secret_value(value: str) -> bool:
    """Whether a value has the shape of a secret: a private key, a cloud key id, a JWT, a URL's password."""
    return any(shape.search(value) for shape in _VALUE_SHAPES)


def shown_value(name: str, value: str) -> str:
    """`value` as a message or a table may show it: masked when it, or its name, looks like a secret."""
    return MASK if looks_secret_name(name) or looks_secret_value(value) else value


def _words(name: str) -> list[str]:
    """`dbPass.2` is DB, PASS: split at separators and humps, numbering dropped."""
    split = _SEPARATORS.split(_CAMEL.sub("_", name).upper())
    words = [word.rstrip("0123456789") for word in split]
    return [word for word in words if word]
