"""The corpus of scripts: the options of each right one, and what is told about each wrong one, to the letter."""

import re
from pathlib import Path

import msgspec
import pytest

from tests.corpus.directives.bless import FOLDER, INVALID, NOW, VALID, expected_beside, script_in, told_of
from xcelib.options.directives import BadDirectives, read_directives


@pytest.mark.parametrize("path", INVALID, ids=[path.stem for path in INVALID])
def test_wrong_directives_are_told_as_expected_with_their_lines(path: Path) -> None:
    script = script_in(path)
    with pytest.raises(BadDirectives) as caught:
        read_directives(script, now=NOW)
    assert told_of(script) == expected_beside(path).read_text(encoding="utf-8")
    assert all(re.fullmatch(r"line \d+", fault.path) for fault in caught.value.faults)
    assert caught.value.detail.count("\n") + 1 == len(caught.value.faults)


@pytest.mark.parametrize("path", VALID, ids=[path.stem for path in VALID])
def test_right_directives_are_read_as_expected(path: Path) -> None:
    values = msgspec.json.decode(msgspec.json.encode(read_directives(script_in(path), now=NOW)))
    assert values == msgspec.json.decode(expected_beside(path).read_bytes())


def test_every_case_has_its_expected_text_and_every_text_its_case() -> None:
    cases = {path.with_suffix("") for path in FOLDER.glob("*/*.sh")}
    assert cases == {path.with_suffix("") for path in FOLDER.glob("*/*") if path.suffix in (".txt", ".json")}
    assert len(VALID) >= 15
    assert len(INVALID) >= 30
