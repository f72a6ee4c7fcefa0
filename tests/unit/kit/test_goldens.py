"""Goldens: a difference is red, blessing makes it green, what differs from run to run is left out."""

import pytest

from tests.kit import goldens
from tests.kit.goldens import assert_golden, filtered


def test_times_and_trailing_blanks_do_not_matter() -> None:
    assert filtered("a  \nat 2026-03-01 09:00:00") == "a\nat [TIME]"


def test_a_text_without_a_golden_file_fails_and_names_it() -> None:
    with pytest.raises(AssertionError, match=r"tests/golden/no-such-file changed"):
        assert_golden("no-such-file", "text", bless=False)
    assert not (goldens.FOLDER / "no-such-file").exists()
