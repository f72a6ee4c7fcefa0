"""A queue's ceilings: they check effective values, end a task range, and fill in an absent run limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from xcelib.config.model import CEILING_COUNTS, LIMITS, ClusterConfig, QueueConfig
from xcelib.jobspec import TaskRange
from xcelib.merge.demand import Demand, demand_of
from xcelib.merge.draft import Draft, reject
from xcelib.merge.requirement import Requirement
from xcelib.merge.texts import amount_text, limit_text
from xcelib.resreq.ast import Simple
from xcelib.resreq.descriptors import Descriptor


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One entry of a queue's `max`."""

    queue: str
    name: str
    amount: int
    is_size: bool = False

    @property
    def origin(self) -> str:
        return f"queue:{self.queue}"

    def text(self, amount: int | float) -> str:
        if self.name in LIMITS:
            return limit_text(self.name, int(amount))
        return amount_text(amount, is_size=self.is_size)


def under_ceilings(
    queue: QueueConfig,
    tasks: TaskRange,
    limits: dict[str, int],
    requirement: Requirement,
    *,
    config: ClusterConfig,
    known: Mapping[str, Descriptor],
    draft: Draft,
) -> TaskRange:
    """Compare with every ceiling of the queue; the task range as they end it. Fills `limits` in place."""
    for name, amount in sorted(queue.max.items()):
        if name in LIMITS:
            _check_limit(Ceiling(queue.name, name, amount), limits, draft)
        elif name == "tasks":
            tasks = _ended(Ceiling(queue.name, name, amount), Demand(per_task=1), tasks, draft)
        elif name == "hosts":
            tasks = _ended(Ceiling(queue.name, name, amount), _host_demand(requirement), tasks, draft)
        else:
            ceiling = Ceiling(queue.name, name, amount, is_size=known[name].type == "size")
            demand = demand_of(name, requirement.resreq, requirement.rusage, config.resources)
            tasks = _ended(ceiling, demand, tasks, draft)
    return tasks


def _check_limit(ceiling: Ceiling, limits: dict[str, int], draft: Draft) -> None:
    attribute = f"limits.{ceiling.name}"
    value = limits.get(ceiling.name)
    if value is None:
        if ceiling.name == "run_time":
            limits["run_time"] = ceiling.amount
            draft.origins[attribute] = (ceiling.origin,)
    elif value > ceiling.amount:
        _refuse(ceiling, value, attribute, draft)


def _host_demand(requirement: Requirement) -> Demand:
    """The fewest hosts: one, or as `ptile` spreads the tasks."""
    needs = requirement.resreq
    span = needs.span if isinstance(needs, Simple) else None
    if span is None or span.kind != "ptile" or not span.count:
        return Demand(once=1)
    return Demand(per_task=1 / span.count)


def _ended(ceiling: Ceiling, demand: Demand, tasks: TaskRange, draft: Draft) -> TaskRange:
    """The range with its upper end where the ceiling is reached; rejects when its lower end is above."""
    if demand.of(tasks.min) > ceiling.amount:
        attribute = "tasks" if ceiling.name in CEILING_COUNTS else f"rusage.{ceiling.name}"
        _refuse(ceiling, demand.of(tasks.min), attribute, draft)
    if tasks.max == tasks.min or demand.per_task == 0:
        return tasks
    most = floor((ceiling.amount - demand.once) / demand.per_task)
    if tasks.max is not None and tasks.max <= most:
        return tasks
    draft.origins["tasks"] = (*draft.origins["tasks"], ceiling.origin)
    return TaskRange(min=tasks.min, max=most)


def _refuse(ceiling: Ceiling, value: int | float, attribute: str, draft: Draft) -> None:
    origin = " and ".join(draft.origins.get(attribute, draft.origins["tasks"]))
    asked, most = ceiling.text(value), ceiling.text(ceiling.amount)
    reject(
        "queue_ceiling",
        f"`{ceiling.name}` {asked} (from {origin}) is above the {most} that queue `{ceiling.queue}` allows",
        attribute=attribute,
        hints=[f"ask for at most {most}, or use another queue"],
    )
