"""Elements of arrays: whether they exist, how they stand, and a job's row that tells of some of them alone."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from xcecli.kit.client import XceClient
from xcelib.errors import Unknown
from xcelib.jobspec import ArraySpec
from xcelib.ranges import IndexSet
from xcelib.states import FINAL
from xcelib.wire import PAGE_MAX, ElementRow, JobRow

WAITING: Final = ("PEND", "PSUSP")


def check_elements(job_id: int, array: ArraySpec | None, indexes: Iterable[int]) -> None:
    """Raise `Unknown` for an index that the array does not have; what is no array has none."""
    for index in indexes:
        if array is None or not any(a <= index <= b and (index - a) % step == 0 for a, b, step in array.ranges):
            what = "is no array" if array is None else f"has no element {index}"
            raise Unknown(f"job `{job_id}` {what}", code="unknown_element", hints=[f"`xcecli job {job_id}` shows it"])


def check_elements_of(client: XceClient, job_id: int, indexes: Iterable[int]) -> None:
    check_elements(job_id, client.job(job_id).spec.array, indexes)


def dispatched(client: XceClient, job_id: int, indexes: IndexSet) -> dict[int, ElementRow]:
    """Those of the elements that were sent to a host once, by index."""
    found: dict[int, ElementRow] = {}
    for first, last in indexes.ranges():
        cursor: int | None = first - 1
        while cursor is not None and cursor < last:
            page = client.elements(job_id, after=cursor, limit=min(PAGE_MAX, last - cursor))
            found |= {row.index: row for row in page.elements if first <= row.index <= last}
            cursor = page.cursor
    return found


def state_of(row: JobRow, element: ElementRow | None) -> str:
    """The state of an element; one that never ran has that of the job's waiting ones, or was ended with them."""
    if element is not None:
        return element.state
    if row.ended_at is not None or (row.is_array and not any(row.counts.get(state) for state in WAITING)):
        return "EXIT"
    return next((state for state in WAITING if row.counts.get(state)), row.state)


def narrowed(row: JobRow, indexes: IndexSet, found: Mapping[int, ElementRow]) -> JobRow:
    """The job's row as if it had these elements alone; it has ended when all of them have."""
    states = [state_of(row, found.get(index)) for index in indexes]
    is_over = all(state in FINAL for state in states)
    attempts = [element.attempts[-1] for _, element in sorted(found.items()) if element.attempts]
    ends = [attempt.ended_at for attempt in attempts if attempt.ended_at is not None]
    failed = [each for each in attempts if found[each.index].state == "EXIT"]
    return msgspec.structs.replace(
        row,
        state=_telling(states),
        size=len(indexes),
        counts={state: states.count(state) for state in sorted(set(states))},
        ended_at=max(ends, default=row.ended_at or row.submitted_at) if is_over else None,
        exit_code=(failed[0].exit_code if failed else 0 if "EXIT" not in states else None) if is_over else None,
        signal=failed[0].signal if is_over and failed else 0,
        end_reason=failed[0].end_reason if is_over and failed else "",
    )


def _telling(states: Sequence[str]) -> str:
    """The first state that is not final, else how it ended."""
    return next((state for state in states if state not in FINAL), "EXIT" if "EXIT" in states else "DONE")
