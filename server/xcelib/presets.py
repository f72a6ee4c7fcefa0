"""The format of presets: a named bundle of submit options (40-presets). Pure: callers read and write the files."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import msgspec

from xcelib.errors import Fault, Usage, did_you_mean
from xcelib.options.table import BY_NAME, named
from xcelib.options.values import Values, canonical, from_preset

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
_KEYS = ("description", "options", "origin")
_ORIGIN_KEYS = ("cluster", "server", "name", "hash", "pulled")
# Variables that make a program run or load what it was not asked to; and all of the dynamic linker, `LD_*`.
_LOADERS = frozenset(
    ("BASH_ENV", "ENV", "GCONV_PATH", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "PATH", "PERL5LIB", "PERL5OPT", "PROMPT_COMMAND",
     "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "RUBYLIB", "RUBYOPT")
)  # fmt: skip
_NOW = datetime(2000, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 - times relative to now have no place in a hash


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """`options` are as written (TOML types); `values` are the same in base units."""

    description: str = ""
    options: dict[str, Any] = {}
    origin: dict[str, Any] | None = None
    values: Values = {}
    hash: str = ""


def is_preset_name(text: str) -> bool:
    return _NAME.match(text) is not None


def check_preset_name(text: str) -> str:
    if not is_preset_name(text):
        raise Usage(
            f"`{text[:64]}` is no name of a preset",
            code="bad_preset_name",
            hints=["use small letters, digits, `.`, `_`, `-`; at most 64; begin with a letter or digit"],
        )
    return text


def preset_of(document: Mapping[str, Any]) -> Preset:
    """The preset that a decoded TOML file holds. Raises `Usage` with every fault."""
    faults = [_fault(key, f"there is no key `{key}`", did_you_mean(key, _KEYS)) for key in document if key not in _KEYS]
    description, options, origin = (document.get(key) for key in _KEYS)
    if not isinstance(description, str | None):
        faults.append(_fault("description", "`description` is a text", []))
    if not isinstance(options, dict | None):
        faults.append(_fault("options", "`options` is a table", []))
        options = {}
    values, wrong = _values(options or {})
    faults += wrong + _origin_faults(origin)
    if faults:
        text = "; ".join(fault.message for fault in faults)
        hints = [fault.hint for fault in faults if fault.hint]
        raise Usage(f"the preset is wrong: {text}", code="bad_preset", faults=faults, hints=hints[:3])
    return Preset(
        description=description or "", options=dict(options or {}), origin=origin, values=values, hash=hash_of(values)
    )


def _values(options: Mapping[str, Any]) -> tuple[Values, list[Fault]]:
    values: Values = {}
    faults: list[Fault] = []
    known = named("preset")
    for name, raw in options.items():
        option = known.get(name)
        if option is None:
            text = f"`{name}` has no place in a preset" if name in BY_NAME else f"there is no option `{name}`"
            faults.append(_fault(f"options.{name}", text, did_you_mean(name, known)))
            continue
        try:
            value = from_preset(option, raw, now=_NOW)
            values[name] = raw if option.kind == "when" else value  # a time is counted from the submit
        except Usage as error:
            faults.append(_fault(f"options.{name}", error.message, list(error.hints)))
    return values, faults


def _origin_faults(origin: object) -> list[Fault]:
    if origin is None:
        return []
    if not isinstance(origin, dict):
        return [_fault("origin", "`origin` is a table", [])]
    return [
        _fault(f"origin.{key}", f"there is no key `{key}` in `origin`", []) for key in origin if key not in _ORIGIN_KEYS
    ]


def _fault(path: str, message: str, hints: list[str]) -> Fault:
    return Fault(path=path, code="bad_preset", message=message, hint=hints[0] if hints else "")


def hash_of(values: Values) -> str:
    """`v1:sha256:` over typed canonical JSON: description, origin and spelling do not change it."""
    typed = {name: canonical(BY_NAME[name], value) for name, value in values.items()}
    return f"v1:sha256:{hashlib.sha256(msgspec.json.encode(typed, order='deterministic')).hexdigest()}"


def acting_options(preset: Preset) -> list[str]:
    """The options that run or write something where the job runs: one looks at them before taking a preset of others."""
    loaders = [f"env.{name}" for name in preset.values.get("env", {}) if name in _LOADERS or name.startswith("LD_")]
    return [name for name in ("stdout", "stderr") if name in preset.values] + sorted(loaders)


def mention(name: str, preset: Preset) -> dict[str, Any]:
    """What a job's `meta` says of a preset that it was made from."""
    said: dict[str, Any] = {"name": name, "hash": preset.hash, "options": sorted(preset.options)}
    if preset.origin is not None:
        said["origin"] = {key: value for key, value in preset.origin.items() if isinstance(value, str)}
    return said
