"""Finished jobs, old answers and the event log are kept for a time, then deleted in small steps."""

from collections.abc import Callable

from xceserver.ports import Clock
from xceserver.store.writer import Transaction, Writer

ANSWERS_KEEP_S = 24 * 3600.0
EVENTS_KEEP = 200_000
STEP = 2_000

_DELETE_JOBS = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)"
# Ids are never used again: the largest is kept even when its job goes.
_KEEP_LAST_ID = "INSERT OR REPLACE INTO meta SELECT 'last_job_id', max(coalesce((SELECT max(id) FROM jobs), 0), coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_job_id'), 0))"
_DELETE_ORPHANS = (
    "DELETE FROM specs WHERE job_id IN (SELECT job_id FROM specs LEFT JOIN jobs ON jobs.id = job_id WHERE jobs.id IS NULL LIMIT ?)",
    "DELETE FROM elements WHERE job_id IN (SELECT job_id FROM elements LEFT JOIN jobs ON jobs.id = job_id WHERE jobs.id IS NULL LIMIT ?)",
)
_DELETE_ANSWERS = "DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE at < ? LIMIT ?)"
_DELETE_EVENTS = "DELETE FROM events WHERE seq < (SELECT max(seq) FROM events) - ?"


class Retention:
    """One step a sweep, through the one writer, so that nothing waits long behind it."""

    def __init__(self, writer: Writer, *, clock: Clock, keep_s: Callable[[], float]) -> None:
        self._writer = writer
        self._clock = clock
        self._keep_s = keep_s

    def sweep(self) -> None:
        now = self._clock.wall()
        step = Transaction()
        step.add(_KEEP_LAST_ID, [()])
        step.add(_DELETE_JOBS, [(now - self._keep_s(), STEP)])
        for sql in _DELETE_ORPHANS:
            step.add(sql, [(STEP,)])
        step.add(_DELETE_ANSWERS, [(now - ANSWERS_KEEP_S, STEP)])
        step.add(_DELETE_EVENTS, [(EVENTS_KEEP,)])
        self._writer.commit(step, lambda: None)
