"""The journal's file, written for real: when it is synced, and what happens when that fails."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kit.powercut import power_cut_disk
from tests.kit.waiting import wait_for
from xceserver.peer import AttemptKey, Ended
from xceserver.worker.clocks import SystemClock
from xceserver.worker.journal import Acknowledged, Finished, Intent, load
from xceserver.worker.writer import JournalWriter


class Desk:
    """A writer, and what it told: callbacks run on its own thread here."""

    def __init__(self, path: Path, *, sync: Callable[[int], None] = os.fdatasync) -> None:
        self.path = path
        self.sync_count = 0
        self.failures: list[OSError] = []
        self.done: list[int] = []
        self._sync = sync
        self.writer = JournalWriter(
            str(path), sync=self._synced, deliver=lambda call: call(), failed=self.failures.append
        )

    def _synced(self, fd: int) -> None:
        self.sync_count += 1
        self._sync(fd)

    def intent(self, number: int) -> None:
        self.writer.append(
            Intent(key(number), "boot", is_rerunnable=True), done=lambda: self.done.append(number), is_urgent=True
        )

    def end(self, number: int) -> None:
        self.writer.append(Finished(Ended(key=key(number), exit_code=0, ended_at=1.0)))

    def acknowledge(self, number: int) -> None:
        self.writer.append(Acknowledged((key(number),)))

    def wait_done(self, count: int) -> None:
        wait_for("durable intents", lambda: len(self.done), lambda seen: seen == count)


def key(number: int) -> AttemptKey:
    return AttemptKey(number, 0, 1)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "journal")
    yield made
    made.writer.close()


def test_an_intent_is_in_the_file_when_it_is_told_to_be(desk: Desk) -> None:
    desk.intent(1)
    desk.wait_done(1)
    assert list(load(desk.path.read_bytes()).open) == [key(1)]
    assert desk.sync_count == 1


def test_records_that_come_during_a_sync_share_the_next_one(tmp_path: Path) -> None:
    gate = threading.Semaphore(0)

    def sync(_: int) -> None:
        gate.acquire()

    desk = Desk(tmp_path / "journal", sync=sync)
    desk.intent(1)
    wait_for("the first sync", lambda: desk.sync_count, lambda count: count == 1)
    for number in range(2, 202):
        desk.intent(number)
    gate.release(10)
    desk.wait_done(201)
    assert desk.sync_count == 2
    desk.writer.close()


def test_a_hundred_jobs_a_second_cost_at_most_one_sync_each(desk: Desk) -> None:
    clock = SystemClock()
    start = clock.steady()
    for number in range(1, 151):
        wait_for("the next hundredth", clock.steady, lambda now, due=start + number / 100: now >= due)  # type: ignore[misc]
        desk.intent(number)
        desk.end(number)
        desk.acknowledge(number)
    desk.wait_done(150)
    assert desk.sync_count <= 150 + 20  # the burst that is allowed once


def test_a_lazy_record_is_synced_soon_when_nothing_urgent_comes(desk: Desk) -> None:
    desk.end(1)
    wait_for("the sync", lambda: desk.sync_count, lambda count: count == 1, limit_s=1.0)
    assert list(load(desk.path.read_bytes()).open) == [key(1)]


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_the_first_failed_sync_ends_all_acknowledging(tmp_path: Path, number: int) -> None:
    def failing(fd: int) -> None:
        raise OSError(number, os.strerror(number))

    desk = Desk(tmp_path / "journal", sync=failing)
    desk.intent(1)
    wait_for("the failure", lambda: desk.failures, bool)
    desk.intent(2)
    desk.writer.close()
    assert desk.done == []
    assert desk.sync_count == 1
    assert len(desk.failures) == 1


def test_a_rewritten_journal_holds_what_it_was_given_and_what_came_later(desk: Desk) -> None:
    for number in range(1, 100):
        desk.intent(number)
    desk.wait_done(99)
    size = desk.writer.size
    desk.writer.rewrite([Intent(key(7), "boot", is_rerunnable=True)])
    desk.intent(100)
    desk.wait_done(100)
    assert list(load(desk.path.read_bytes()).open) == [key(7), key(100)]
    assert desk.writer.size < size
    assert desk.writer.size == desk.path.stat().st_size


@pytest.mark.needs("fuse3")
def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk") as disk:
        desk = Desk(disk.path / "journal")
        disk.set_capacity(0)
        desk.intent(1)
        wait_for("the wait", lambda: desk.writer.space_wait_count, lambda count: count > 0)
        assert (desk.done, desk.failures) == ([], [])
        disk.set_capacity(1 << 20)
        desk.wait_done(1)
        desk.writer.close()
        assert list(load(desk.path.read_bytes()).open) == [key(1)]


@pytest.mark.needs("fuse3")
def test_what_was_told_to_be_durable_survives_a_power_cut(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk") as disk:
        desk = Desk(disk.path / "journal")
        for number in range(1, 41):
            desk.intent(number)
        desk.wait_done(40)
        disk.cut()
        desk.intent(41)
        wait_for("the failure", lambda: desk.failures, bool)
        desk.writer.close()
        disk.restore()
        assert [k.job_id for k in load(desk.path.read_bytes()).open] == list(range(1, 41))


@pytest.mark.needs("fuse3")
def test_what_was_not_synced_is_lost_in_a_power_cut(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk") as disk:
        desk = Desk(disk.path / "journal", sync=lambda fd: None)  # the negative control: the test above can fail
        desk.intent(1)
        desk.wait_done(1)
        disk.cut()
        desk.writer.close()
        disk.restore()
        assert load(desk.path.read_bytes() if desk.path.exists() else b"").open == {}
