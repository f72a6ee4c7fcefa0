"""Layers of option values: defaults < presets < directives < the command line."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from xcelib.options.table import BY_NAME
from xcelib.options.values import Values, value_text
from xcelib.resreq.sections import override


class Layer(msgspec.Struct, frozen=True):
    """Values with where they came from: `preset:small`, `directive`, `command line`."""

    origin: str
    values: Values


def merge_layers(layers: Iterable[Layer]) -> Values:
    """Scalars: later wins. Tables: by key, later wins. Lists: appended. Requirements: section by section."""
    merged: Values = {}
    for layer in layers:
        for name, value in layer.values.items():
            merged[name] = _combined(name, merged[name], value) if name in merged else value
    return merged


def _combined(name: str, earlier: Any, later: Any) -> Any:
    match BY_NAME[name].kind:
        case "pairs":
            return {**earlier, **later}
        case "texts":
            return list(dict.fromkeys([*earlier, *later]))
        case "resreq":
            return override(earlier, later)
    return later


def disagreements(presets: Sequence[Layer]) -> list[str]:
    """A note for each option that two presets of one submit set differently, naming the winner."""
    notes = []
    for name in sorted({name for layer in presets for name in layer.values}):
        option = BY_NAME[name]
        given = [layer for layer in presets if name in layer.values]
        if option.is_repeatable or len({value_text(option, layer.values[name]) for layer in given}) < 2:
            continue
        texts = ", ".join(f"`{value_text(option, layer.values[name])}` ({layer.origin})" for layer in given)
        notes.append(f"--{name} is set to {texts}; the last one wins")
    return notes
