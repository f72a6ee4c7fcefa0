"""Presets as layers of a submit."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from xcecli.presets.store import PresetStore
from xcelib.options.layers import Layer
from xcelib.options.table import BY_NAME
from xcelib.options.values import from_preset
from xcelib.presets import Preset, mention


def preset_layers(
    store: PresetStore, names: Sequence[str], *, now: datetime
) -> tuple[list[Layer], list[dict[str, Any]]]:
    """The layers of the named presets in order, and what the job's `meta` says of them."""
    layers, mentions = [], []
    for name in names:
        preset = store.load(name)
        layers.append(Layer(f"preset:{name}", _values_now(preset, now)))
        mentions.append(mention(name, preset))
    return layers, mentions


def _values_now(preset: Preset, now: datetime) -> dict[str, Any]:
    """The values, with times like `+2h` counted from this submit."""
    times = {name: raw for name, raw in preset.options.items() if BY_NAME[name].kind == "when"}
    return {**preset.values, **{name: from_preset(BY_NAME[name], raw, now=now) for name, raw in times.items()}}
