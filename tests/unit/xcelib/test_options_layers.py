"""Layers: the later wins, tables merge by key, lists are appended, requirements section by section."""

from datetime import UTC, datetime

import pytest

from xcelib.options.layers import Layer, disagreements, merge_layers
from xcelib.options.table import BY_NAME
from xcelib.options.values import Values, parse_words

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def a_layer(origin: str, **words: str | list[str]) -> Layer:
    values: Values = {}
    for name, given in words.items():
        option = BY_NAME[name.replace("_", "-")]
        values[option.name] = parse_words(option, [given] if isinstance(given, str) else given, now=NOW)
    return Layer(origin, values)


def test_the_order_is_that_of_the_layers() -> None:
    layers = [a_layer("preset:a", queue="a"), a_layer("directive", queue="d"), a_layer("command line", queue="c")]
    assert merge_layers(layers) == {"queue": "c"}
    assert merge_layers(layers[:2]) == {"queue": "d"}
    assert merge_layers([]) == {}


def test_options_of_every_layer_are_kept() -> None:
    merged = merge_layers([a_layer("a", queue="q"), a_layer("b", name="n")])
    assert merged == {"queue": "q", "name": "n"}


def test_tables_merge_by_key() -> None:
    merged = merge_layers([a_layer("a", env=["A=1", "B=1"]), a_layer("b", env=["B=2", "C=2"])])
    assert merged == {"env": {"A": "1", "B": "2", "C": "2"}}


def test_lists_are_appended_without_duplicates() -> None:
    merged = merge_layers([a_layer("a", env_file=["x", "y"]), a_layer("b", env_file=["y", "z"])])
    assert merged == {"env-file": ["x", "y", "z"]}


@pytest.mark.parametrize(
    ("earlier", "later", "merged"),
    [
        ("select[a]", "select[b]", "select[b]"),
        ("select[a]", "rusage[mem=1G]", "select[a] rusage[mem=1G]"),
        ("rusage[mem=1G, swp=1G]", "rusage[mem=2G]", "rusage[mem=2G, swp=1G]"),
        ("{select[a]} || {select[b]}", "select[c]", "select[c]"),
        ("select[a]", "{select[b]} || {select[c]}", "{select[b]} || {select[c]}"),
    ],
)
def test_requirements_merge_section_by_section(earlier: str, later: str, merged: str) -> None:
    assert merge_layers([a_layer("a", resreq=earlier), a_layer("b", resreq=later)]) == {"resreq": merged}


def test_merging_changes_no_layer() -> None:
    first, second = a_layer("a", env=["A=1"], env_file=["x"]), a_layer("b", env=["B=2"], env_file=["y"])
    merge_layers([first, second])
    assert first.values == {"env": {"A": "1"}, "env-file": ["x"]}


def test_a_note_names_what_two_presets_set_differently_and_who_wins() -> None:
    notes = disagreements([a_layer("preset:a", run_limit="1h"), a_layer("preset:b", run_limit="2h")])
    assert notes == ["--run-limit is set to `1h` (preset:a), `2h` (preset:b); the last one wins"]


def test_nothing_is_noted_where_presets_agree_or_add_up() -> None:
    layers = [a_layer("a", run_limit="2h", env=["A=1"]), a_layer("b", run_limit="120m", env=["A=2"])]
    assert disagreements(layers) == []
    assert disagreements(layers[:1]) == []
