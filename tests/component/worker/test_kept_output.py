"""Kept output on a real file system: how long it stays, and what is put aside."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from xceserver.peer import AttemptKey, ReadOutput
from xceserver.worker.local import OutputFiles
from xceserver.worker.spool import Spool

OLD, NEW = AttemptKey(1, 0, 1), AttemptKey(2, 0, 1)
DAY_S = 86_400


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(str(tmp_path / "spool"), mode=0o700)
    yield made
    made.close()


def an_attempt(spool: Spool, key: AttemptKey, *, output: str) -> Path:
    path = Path(spool.path) / str(key)
    path.mkdir()
    (path / "out").write_text(output)
    return path


def never(files: OutputFiles, path: str) -> None:
    raise AssertionError(f"{path} is no file of the job's own")


def kept(spool: Spool, key: AttemptKey) -> bytes:
    chunk = spool.read(ReadOutput(1, key, "out", 0, 100), never)
    assert chunk is not None
    return chunk.data


def test_kept_output_is_read_before_and_after_the_attempt_is_retired(spool: Spool) -> None:
    an_attempt(spool, NEW, output="words")
    assert kept(spool, NEW) == b"words"
    spool.retire(NEW)
    assert kept(spool, NEW) == b"words"
    assert spool.found() == []


def test_an_attempt_without_output_leaves_nothing(spool: Spool) -> None:
    path = an_attempt(spool, NEW, output="")
    spool.retire(NEW)
    assert not path.exists()
    assert os.listdir(Path(spool.path) / "done") == []


def test_output_is_pruned_when_it_is_old_and_not_before(spool: Spool) -> None:
    for key in (OLD, NEW):
        an_attempt(spool, key, output="words")
        spool.retire(key)
    made_at = os.stat(Path(spool.path) / "done" / str(OLD)).st_mtime - 2 * DAY_S
    for path in (Path(spool.path) / "done" / str(OLD), Path(spool.path) / "done" / str(OLD) / "out"):
        os.utime(path, (made_at, made_at))
    assert spool.prune(older_than_s=3 * DAY_S) == 0
    assert spool.prune(older_than_s=DAY_S) == 1
    assert (kept(spool, OLD), kept(spool, NEW)) == (b"", b"words")


def test_a_broken_attempt_is_put_aside_in_place_of_an_earlier_one(spool: Spool) -> None:
    for words in ("first", "second"):
        an_attempt(spool, NEW, output=words)
        spool.set_aside(NEW)
    assert (Path(spool.path) / "lost+found" / str(NEW) / "out").read_text() == "second"
    spool.set_aside(NEW)  # it is gone already: no harm
