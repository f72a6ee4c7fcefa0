"""Values of options: from words, from the types of a preset, and back to words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from xcelib.errors import Usage
from xcelib.options.table import BY_NAME, BY_SHORT, TABLE, named
from xcelib.options.values import canonical, from_preset, parse_words, to_words

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def parsed(name: str, *words: str) -> Any:
    return parse_words(BY_NAME[name], words, now=NOW)


def of_preset(name: str, value: object) -> Any:
    return from_preset(BY_NAME[name], value, now=NOW)


# --- the table -----------------------------------------------------------------------------------------------------


def test_names_and_shorts_are_unique() -> None:
    assert len(BY_NAME) == len(TABLE)
    assert len(BY_SHORT) == len([option for option in TABLE if option.short])


@pytest.mark.parametrize("option", TABLE, ids=lambda option: option.name)
def test_an_option_is_described(option: Any) -> None:
    assert option.help[0] in "`" or option.help[0].isupper()
    assert option.help.endswith(".")
    assert bool(option.metavar) is (option.kind != "flag")
    assert bool(option.choices) is (option.kind == "choice")
    assert "command" in option.sources
    assert (option.field is None) is (option.group == "Here")


def test_presets_and_directives_may_set_what_takes_effect_in_the_request_and_nothing_else() -> None:
    in_request = {option.name for option in TABLE if option.field is not None}
    assert set(named("preset")) == in_request
    assert set(named("directive")) == in_request
    assert set(named("command")) == set(BY_NAME)


# --- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("queue", ("a", "b"), "--queue: given 2 times, it takes one value"),
        ("priority", ("high",), "--priority: `high` is no whole number"),
        ("priority", ("-1",), "--priority: `-1` is no whole number"),
        ("priority", ("１",), "--priority: `１` is no whole number"),
        ("priority", ("1" * 13,), f"--priority: `{'1' * 13}` is no whole number"),
        ("launch", ("task",), "--launch: there is no `task`"),
        ("memory", ("2",), "--memory: the size `2` has no unit"),
        ("run-limit", ("90",), "--run-limit: the duration `90` has no unit"),
        ("run-limit", ("1:30",), "--run-limit: `1:30` may mean hours and minutes, or minutes and seconds"),
        ("begin", ("soon",), "--begin: `soon` is no time"),
        ("tasks", ("0",), "--tasks: `0` is no task count or range"),
        ("array", ("5-1",), "--array: `5-1` is no array: indexes are 1 to 1000000, first to last, with a step above 0"),
        ("success-exit", ("256",), "--success-exit: `256` is no list of exit codes"),
        ("label", ("alone",), "--label: `alone` is no KEY=VALUE"),
        ("label", ("=v",), "--label: `=v` is no KEY=VALUE"),
        ("label", ("a=1", "a=2"), "--label: `a` is given twice, with two values"),
        ("env", ("A", "A=2"), "--env: `A` is given twice, with two values"),
        ("env", ("=v",), "--env: `=v` is no NAME[=VALUE]"),
        ("resreq", ("rusage[mem=1G]", "rusage[mem=2G]"), "--resreq: the section `rusage` stands in two requirements"),
    ],
)
def test_a_wrong_value_names_its_option_and_itself(name: str, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(Usage) as caught:
        parsed(name, *words)
    assert caught.value.message == message


def test_an_unbalanced_requirement_shows_its_place() -> None:
    with pytest.raises(Usage) as caught:
        parsed("resreq", "select[(a]")
    assert caught.value.message.startswith("--resreq: ")
    assert caught.value.detail == "  select[(a]\n           ^"


def test_a_near_choice_is_told() -> None:
    with pytest.raises(Usage) as caught:
        parsed("launch", "task")
    assert caught.value.hints == ("did you mean `tasks`?",)


def test_repeated_pairs_and_texts_are_collected() -> None:
    assert parsed("label", "a=1", "b=x=y") == {"a": "1", "b": "x=y"}
    assert parsed("env-file", "one", "two", "one") == ["one", "two"]
    assert parsed("env", "A", "B=") == {"A": None, "B": ""}
    assert parsed("label", "a=1", "a=1") == {"a": "1"}


# --- presets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("queue", "night", ("night",)),
        ("priority", 70, ("70",)),
        ("tasks", 4, ("4",)),
        ("tasks", "4-16", ("4-16",)),
        ("memory", "2G", ("2G",)),
        ("run-limit", "2h", ("2h",)),
        ("array", "1-9", ("1-9",)),
        ("launch", "tasks", ("tasks",)),
        ("success-exit", 3, ("3",)),
        ("success-exit", [1, 3], ("1,3",)),
        ("success-exit", "1,3", ("1,3",)),
        ("resreq", "select[a]", ("select[a]",)),
        ("resreq", ["select[a]", "select[b]"], ("select[a]", "select[b]")),
        ("env-file", ["x"], ("x",)),
        ("env", {"A": "1", "N": 4, "B": True}, ("A=1", "N=4", "B=true")),
        ("label", {"case": 7}, ("case=7",)),
    ],
)
def test_a_presets_value_means_what_the_words_mean(name: str, value: object, words: tuple[str, ...]) -> None:
    assert of_preset(name, value) == parsed(name, *words)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hold", "yes", "`hold` is true or false, not a text"),
        ("hold", 1, "`hold` is true or false, not a number"),
        ("queue", 5, "`queue` is a text, not a number"),
        ("queue", True, "`queue` is a text, not a truth value"),
        ("queue", ["a"], "`queue` is a text, not a list"),
        ("priority", True, "`priority` is a whole number, not a truth value"),
        ("priority", 1.5, "`priority` is a whole number, not a fraction"),
        ("tasks", 1.5, "`tasks` is a count or a range, not a fraction"),
        ("memory", 2, "`memory` is a text, not a number"),
        ("memory", {"unset": True}, "`memory` is a text, not a table"),
        ("env", ["A=1"], "`env` is a table of names and values, not a list"),
        ("env", {"A": ["1"]}, "`env` is a table of names and values, not a table"),
        ("env-file", 1, "`env-file` is a list of texts, not a number"),
        ("env-file", [1], "`env-file` is a list of texts, not a list"),
        ("success-exit", [1, "3"], "`success-exit` is a list of exit codes, not a list"),
        ("success-exit", [True], "`success-exit` is a list of exit codes, not a list"),
        ("memory", "2", "--memory: the size `2` has no unit"),
        ("launch", "task", "--launch: there is no `task`"),
    ],
)
def test_a_presets_value_of_another_type_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(Usage) as caught:
        of_preset(name, value)
    assert caught.value.message == message


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_of_a_preset_is_a_truth_value(value: bool) -> None:
    assert of_preset("hold", value) is value


@pytest.mark.parametrize("name", sorted(named("preset")))
def test_what_toml_cannot_hold_is_refused_by_every_option(name: str) -> None:
    with pytest.raises(Usage, match=name):
        of_preset(name, object())


# --- back to words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("queue", ("night",)),
        ("priority", ("70",)),
        ("memory", ("1536M",)),
        ("run-limit", ("1h30m",)),
        ("tasks", ("4",)),
        ("tasks", ("4-16",)),
        ("tasks", ("4-",)),
        ("array", ("1-100:2%10",)),
        ("array", ("1,3,7-9",)),
        ("success-exit", ("1,3",)),
        ("launch", ("tasks",)),
        ("label", ("a=1", "b=x=y")),
        ("env", ("A", "B=2")),
        ("env-file", ("one", "two")),
        ("resreq", ("select[a]",)),
        ("after", ("done(12)",)),
    ],
)
def test_a_value_becomes_the_words_that_give_it(name: str, words: tuple[str, ...]) -> None:
    back = to_words(BY_NAME[name], parsed(name, *words))
    assert back == [part for word in words for part in (f"--{name}", word)]


def test_a_flag_becomes_itself_or_nothing() -> None:
    assert to_words(BY_NAME["hold"], True) == ["--hold"]
    assert to_words(BY_NAME["hold"], False) == []


def test_spelling_does_not_change_the_canonical_value() -> None:
    assert canonical(BY_NAME["run-limit"], parsed("run-limit", "2h")) == canonical(
        BY_NAME["run-limit"], parsed("run-limit", "120m")
    )
    assert canonical(BY_NAME["tasks"], parsed("tasks", "4")) == {"min": 4, "max": 4}
    assert canonical(BY_NAME["success-exit"], parsed("success-exit", "3,1")) == [1, 3]
