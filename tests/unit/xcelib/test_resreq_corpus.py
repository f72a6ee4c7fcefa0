"""The corpus of requirements: the canonical form of each right one, and what is told about each fault, to the letter."""

from pathlib import Path

import pytest

from tests.corpus.resreq.bless import FOLDER, INVALID, VALID, expected_for, requirement_in, told_of
from xcelib.errors import Usage
from xcelib.resreq.parser import parse
from xcelib.resreq.printer import to_text


@pytest.mark.parametrize("path", INVALID, ids=[path.stem for path in INVALID])
def test_a_fault_is_told_as_expected(path: Path) -> None:
    text = requirement_in(path)
    with pytest.raises(Usage):
        parse(text)
    assert told_of(text) == expected_for(path)


@pytest.mark.parametrize("path", VALID, ids=[path.stem for path in VALID])
def test_a_right_requirement_prints_canonically_and_means_the_same_then(path: Path) -> None:
    parsed = parse(requirement_in(path))
    printed = to_text(parsed)
    assert printed + "\n" == expected_for(path)
    assert parse(printed) == parsed


def test_every_case_has_its_expected_text_and_every_text_its_case() -> None:
    cases = {path.with_suffix("") for path in FOLDER.glob("*/*.resreq")}
    assert cases == {path.with_suffix("") for path in FOLDER.glob("*/*.txt")}
    assert len(VALID) >= 25
    assert len(INVALID) >= 45
