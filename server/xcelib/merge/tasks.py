"""The task range: the intersection of the profile's and the job's."""

from collections.abc import Sequence

from xcelib.jobspec import TaskRange
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import DEFAULT, JOB
from xcelib.merge.texts import tasks_text


def merged_tasks(
    asked: TaskRange | None, bound: TaskRange | None, *, sums: Sequence[int], profile: str, draft: Draft
) -> TaskRange:
    """`asked` is the job's, `bound` its profile's; `sums` are the sizes of its compound requirements, if any.

    A job that asks for nothing gets the least: the profile's minimum, or one.
    """
    if sums:
        asked = _asked_by_parts(asked, sums)
    if asked is None:
        least = bound.min if bound else 1
        draft.origins["tasks"] = (f"profile:{profile}",) if bound else (DEFAULT,)
        return TaskRange(min=least, max=least)
    if bound is None:
        draft.origins["tasks"] = (JOB,)
        return asked
    draft.origins["tasks"] = (f"profile:{profile}", JOB)
    if asked == bound:
        draft.note_redundant("tasks", profile)
    return _intersection(asked, bound, profile)


def _asked_by_parts(asked: TaskRange | None, sums: Sequence[int]) -> TaskRange:
    """A compound requirement says how many tasks there are; `--tasks` may only repeat it."""
    by_parts = TaskRange(min=min(sums), max=max(sums))
    if asked is not None and asked != by_parts:
        reject(
            "tasks_conflict",
            f"the parts of the resource requirement have {tasks_text(by_parts)} tasks, "
            f"{tasks_text(asked)} are asked for",
            attribute="tasks",
            hints=["leave the task count out: the parts say it"],
        )
    return by_parts


def _intersection(asked: TaskRange, bound: TaskRange, profile: str) -> TaskRange:
    least = max(asked.min, bound.min)
    most = asked.max if bound.max is None else bound.max if asked.max is None else min(asked.max, bound.max)
    if most is not None and most < least:
        reject(
            "tasks_conflict",
            f"{tasks_text(asked)} tasks are asked for, profile `{profile}` allows {tasks_text(bound)}",
            attribute="tasks",
            hints=[f"ask for a count within {tasks_text(bound)}"],
        )
    return TaskRange(min=least, max=most)
