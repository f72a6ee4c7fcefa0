"""The corpus of configurations, one fault each: what a build says about it, to the letter."""

import re
from pathlib import Path

import pytest

from xceadmin.config.build import build_files
from xceadmin.config.report import to_text
from xcelib.config import codes

CORPUS = Path(__file__).parents[2] / "corpus/config"
INVALID = sorted((CORPUS / "invalid").glob("*.yaml"))
VALID = sorted((CORPUS / "valid").glob("*.yaml"))
_FILE = re.compile(r"^## (\S+)\n", re.MULTILINE)


def files_of(path: Path) -> dict[str, bytes]:
    _, *pieces = _FILE.split(path.read_text(encoding="utf-8"))
    return {name: body.encode() for name, body in zip(pieces[::2], pieces[1::2], strict=True)}


@pytest.mark.parametrize("path", INVALID, ids=[path.stem for path in INVALID])
def test_a_fault_is_told_as_expected(path: Path) -> None:
    result = build_files(files_of(path))
    told = (*result.faults, *result.warnings)
    assert told
    assert (result.config is None) == bool(result.faults)
    assert to_text(told, result.texts) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", VALID, ids=[path.stem for path in VALID])
def test_a_valid_configuration_builds_without_a_word(path: Path) -> None:
    result = build_files(files_of(path))
    assert (result.faults, result.warnings) == ((), ())
    assert result.config is not None


def test_every_fault_of_the_catalogue_is_in_the_corpus_or_needs_more_than_a_text() -> None:
    told = " ".join(path.with_suffix(".txt").read_text(encoding="utf-8") for path in INVALID)
    elsewhere = {codes.TOO_LARGE, codes.UNREADABLE, codes.ENCODING, codes.NO_QUEUE_RUNS}
    waiting = {codes.NO_GROUP, codes.NO_PROJECT, codes.NO_LIMIT}  # of files that are refused whole, or documents
    missing = {code for code in codes.CATALOGUE if f" {code}:" not in told}
    assert missing <= elsewhere | waiting
