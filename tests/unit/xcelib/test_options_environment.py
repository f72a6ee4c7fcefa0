"""Which variables go along: all but sessions and secrets, what was named, and never XCE's own."""

from collections.abc import Mapping
from typing import Any

import pytest

from xcelib.errors import Usage
from xcelib.options.environment import SESSION_NAMES, chosen_environment


def chosen(
    environ: Mapping[str, str], files: Mapping[str, str] = {}, **values: Any
) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    given = {name.replace("_", "-"): value for name, value in values.items()}
    return chosen_environment({**given, **({"env-file": list(files)} if files else {})}, environ, files)


def refusal(environ: Mapping[str, str], files: Mapping[str, str] = {}, **values: Any) -> Usage:
    with pytest.raises(Usage) as caught:
        chosen(environ, files, **values)
    return caught.value


def test_plain_variables_go_along_and_none_counts_as_set_on_purpose() -> None:
    assert chosen({"PATH": "/bin", "LANG": "C"}) == ({"PATH": "/bin", "LANG": "C"}, (), ())


@pytest.mark.parametrize("name", sorted(SESSION_NAMES))
def test_variables_of_the_session_stay_here(name: str) -> None:
    assert chosen({name: "1", "A": "1"}) == ({"A": "1"}, (), ())


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "apiKey"])
def test_secret_names_stay_here_and_one_note_names_them_without_values(name: str) -> None:
    env, explicit, notes = chosen({name: "hunter2", "A": "1"})
    assert (env, explicit) == ({"A": "1"}, ())
    assert notes == (f"not passed on, for the names look like secrets: {name} (`--env NAME` passes one)",)


def test_several_secret_names_are_in_one_note() -> None:
    _, _, notes = chosen({"B_TOKEN": "2", "A_TOKEN": "1"})
    assert len(notes) == 1
    assert "A_TOKEN, B_TOKEN" in notes[0]
    assert "hunter" not in notes[0]


def test_a_secret_goes_along_when_it_is_named() -> None:
    assert chosen({"A_TOKEN": "s"}, env={"A_TOKEN": None}) == ({"A_TOKEN": "s"}, ("A_TOKEN",), ())


def test_a_named_variable_has_the_value_given_or_the_one_that_is_set_here() -> None:
    env, explicit, _ = chosen({"A": "1", "B": "2"}, env={"A": "9", "B": None})
    assert env == {"A": "9", "B": "2"}
    assert explicit == ("A", "B")


def test_a_session_variable_goes_along_when_it_is_named() -> None:
    assert chosen({"DISPLAY": ":0"}, env={"DISPLAY": None})[0] == {"DISPLAY": ":0"}


def test_an_empty_value_is_a_value() -> None:
    assert chosen({}, env={"A": ""})[0] == {"A": ""}


def test_xce_variables_of_the_shell_stay_here_in_silence() -> None:
    assert chosen({"XCE_SERVER": "unix:/x", "XCE_JOB_ID": "7"}) == ({}, (), ())


@pytest.mark.parametrize("name", ["BASH_FUNC_ml%%", "x()", ""])
def test_shell_functions_stay_here(name: str) -> None:
    assert chosen({name: "() { :; }"}) == ({}, (), ())


def test_what_is_not_utf8_stays_here() -> None:
    assert chosen({"A": "\udcff", "B": "ok"})[0] == {"B": "ok"}


# --- --export ------------------------------------------------------------------------------------------------------


def test_nothing_goes_along_with_none() -> None:
    assert chosen({"A": "1", "B_TOKEN": "2"}, export="none") == ({}, (), ())


def test_what_is_named_beside_none_goes_along() -> None:
    assert chosen({"A": "1"}, export="none", env={"B": "2"}) == ({"B": "2"}, ("B",), ())


def test_only_the_named_go_along_secrets_too() -> None:
    assert chosen({"A": "1", "B": "2", "C_TOKEN": "3"}, export="A, C_TOKEN")[0] == {"A": "1", "C_TOKEN": "3"}


@pytest.mark.parametrize(
    ("export", "message"),
    [
        ("MISSING", "--export: `MISSING` is not set here"),
        ("A,XCE_SERVER", "--export: `XCE_SERVER`: names that begin with `XCE_` are XCE's own"),
        ("", "--export: no variable is named"),
        (" , ", "--export: no variable is named"),
    ],
)
def test_a_list_that_cannot_be_followed_is_refused(export: str, message: str) -> None:
    error = refusal({"A": "1", "XCE_SERVER": "unix:/x"}, export=export)
    assert error.message == message


# --- --env ---------------------------------------------------------------------------------------------------------


def test_a_name_that_is_not_set_is_refused_with_how_to_set_it() -> None:
    error = refusal({}, env={"A": None})
    assert error.message == "--env: `A` is not set here"
    assert error.hints == ("write `--env A=VALUE`",)


@pytest.mark.parametrize("name", ["XCE_JOB_ID", "XCE_"])
def test_xces_own_names_are_refused(name: str) -> None:
    assert refusal({}, env={name: "1"}).code == "reserved_variable"
    assert refusal({name: "1"}, env={name: None}).code == "reserved_variable"
    assert refusal({}, {"vars": f"{name}=1"}).code == "reserved_variable"


# --- --env-file ----------------------------------------------------------------------------------------------------


def test_a_file_sets_variables_on_purpose() -> None:
    text = "# comment\n\nA=1\n  export B=two words\nC='quo ted'\nD=\"x\"\nE=a=b\nF=\n"
    env, explicit, _ = chosen({}, {"vars": text})
    assert env == {"A": "1", "B": "two words", "C": "quo ted", "D": "x", "E": "a=b", "F": ""}
    assert explicit == ("A", "B", "C", "D", "E", "F")


def test_later_files_win_and_env_wins_over_files() -> None:
    files = {"one": "A=1\nB=1\nC=1", "two": "B=2\nC=2"}
    assert chosen({}, files, env={"C": "3"})[0] == {"A": "1", "B": "2", "C": "3"}


@pytest.mark.parametrize("line", ["A", "=1", "a b=1", "A-B=1", "1A=1"])
def test_a_line_that_sets_nothing_is_refused_with_its_number(line: str) -> None:
    error = refusal({}, {"vars.env": f"OK=1\n{line}\n"})
    assert error.message == "--env-file: `vars.env` line 2 is no NAME=VALUE"


def test_only_a_line_feed_ends_a_line_of_a_file() -> None:
    assert chosen({}, {"vars": "A=one\u2028two\x0bthree\r\nB=2"})[0] == {"A": "one\u2028two\x0bthree", "B": "2"}
