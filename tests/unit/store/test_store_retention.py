"""Finished jobs leave after their time, live ones never, and ids are never used again."""

from collections.abc import Callable

import pytest

from tests.unit.store.test_store_recovery import Kept
from xceserver.controller.retention import ANSWERS_KEEP_S, Retention
from xceserver.sim.clock import SimClock
from xceserver.sim.disk import NAME, SimDisk
from xceserver.store.database import Reader, recover
from xceserver.store.writer import INSERT_ANSWER, Transaction


class _Direct:
    """A writer that writes at once."""

    def __init__(self, disk: SimDisk) -> None:
        self._disk = disk

    def commit(self, transaction: Transaction, done: Callable[[], None]) -> None:
        self._disk.write(transaction)
        done()


def sweep(kept: Kept, *, now: float, keep_s: float) -> None:
    clock = SimClock()
    clock.jump_wall(now - clock.wall())
    Retention(_Direct(kept.disk), clock=clock, keep_s=lambda: keep_s).sweep()  # type: ignore[arg-type]


@pytest.fixture
def kept() -> object:
    cluster = Kept()
    yield cluster
    cluster.disk.close()


def test_old_finished_jobs_go_with_their_specs_and_elements_and_live_ones_stay(kept: Kept) -> None:
    old, live = kept.submit(), kept.submit()
    kept.run(old)
    sweep(kept, now=kept.now + 1000.0, keep_s=100.0)
    sweep(kept, now=kept.now + 1000.0, keep_s=100.0)
    reader = Reader(kept.disk.connection, NAME)
    assert (reader.job(old), reader.spec(old), reader.elements(old)) == (None, None, [])
    assert reader.job(live) is not None
    assert reader.spec(live) is not None


def test_a_finished_job_stays_for_its_time(kept: Kept) -> None:
    job_id = kept.submit()
    kept.run(job_id)
    sweep(kept, now=kept.now + 50.0, keep_s=100.0)
    assert Reader(kept.disk.connection, NAME).job(job_id) is not None


def test_the_next_id_is_new_even_when_the_newest_job_is_gone(kept: Kept) -> None:
    job_id = kept.submit()
    kept.run(job_id)
    sweep(kept, now=kept.now + 1000.0, keep_s=100.0)
    recovered, _ = recover(kept.disk.connection, NAME)
    assert recovered.next_job_id == job_id + 1


@pytest.mark.parametrize(("age_s", "is_kept"), [(ANSWERS_KEEP_S - 60.0, True), (ANSWERS_KEEP_S + 60.0, False)])
def test_answers_are_kept_for_a_day(kept: Kept, age_s: float, is_kept: bool) -> None:
    transaction = Transaction()
    transaction.add(INSERT_ANSWER, [("k", b"d", kept.now, b"{}")])
    kept.disk.write(transaction)
    sweep(kept, now=kept.now + age_s, keep_s=1e9)
    assert (Reader(kept.disk.connection, NAME).answer("k") is not None) == is_kept
