"""Patterns in the paths of a job's files."""

import pytest

from xcelib.errors import Usage
from xcelib.placeholders import PLACEHOLDERS, expand


def expanded(path: str, *, name: str = "cfd", index: int = 3) -> str:
    return expand(path, job_id=12, index=index, name=name, host="node7", user="ann")


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("out", "out"),
        ("%J.%I", "12.3"),
        ("%N-%H-%U", "cfd-node7-ann"),
        ("100%%", "100%"),
        ("%%J", "%J"),
        ("%%%J", "%12"),
        ("dir/%J/out", "dir/12/out"),
    ],
)
def test_patterns_become_what_they_stand_for(path: str, result: str) -> None:
    assert expanded(path) == result


def test_every_pattern_that_is_told_works() -> None:
    assert all(expanded(f"%{letter}") != f"%{letter}" for letter in PLACEHOLDERS)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "/"])
def test_a_name_leads_into_no_other_folder(name: str) -> None:
    assert "/" not in expanded("%N", name=name)


@pytest.mark.parametrize(("path", "name"), [("a/%N/b", ".."), ("a/%N/b", "."), ("a/.%N/b", "."), ("a/%N%N/b", ".")])
def test_a_name_of_dots_names_no_other_folder(path: str, name: str) -> None:
    assert {".", ".."}.isdisjoint(expanded(path, name=name).split("/"))


def test_what_a_name_holds_is_not_expanded_again() -> None:
    assert expanded("%N", name="%J") == "%J"


@pytest.mark.parametrize(
    ("path", "shown", "column"), [("%x", "%x", 1), ("a%j", "%j", 2), ("a%", "%", 2), ("%\n", "%\n", 1)]
)
def test_an_unknown_pattern_is_refused_with_its_column(path: str, shown: str, column: int) -> None:
    with pytest.raises(Usage) as caught:
        expanded(path)
    assert caught.value.message == f"`{shown}` at column {column} of the path `{path}` means nothing"
    assert "%J (the job id)" in caught.value.hints[0]
