"""How much of a counter a job reserves at least, and at most: what ceilings and quotas are compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xcelib.config.model import ResourceConfig
from xcelib.merge.effective import Need
from xcelib.resreq.ast import Alternative, Compound, Resreq, Simple


@dataclass(frozen=True, slots=True)
class Demand:
    """`once` plus `per_task` for each task. A per-host term counts for the one host that every job has."""

    once: int | float = 0
    per_task: int | float = 0

    def of(self, tasks: int) -> int | float:
        return self.once + self.per_task * tasks


def demand_of(
    counter: str, requirement: Resreq, rusage: Sequence[Need], resources: Mapping[str, ResourceConfig]
) -> Demand:
    """The least that the job reserves of `counter`. A task takes one slot unless it asks for another number.

    A job without a term for the counter is charged the resource's `default_charge`, once.
    """
    if isinstance(requirement, Compound):
        return Demand(once=_of_compound(counter, requirement))
    if isinstance(requirement, Alternative):
        return Demand(once=min(_of_choice(counter, choice.needs) for choice in requirement.choices))
    need = next((need for need in rusage if need.resource == counter), None)
    if need is None:
        resource = resources.get(counter)
        return Demand(per_task=1) if counter == "slots" else Demand(once=resource.default_charge if resource else 0)
    return Demand(per_task=need.amount) if need.per == "task" else Demand(once=need.amount)


def _of_compound(counter: str, requirement: Compound) -> int | float:
    return sum(_of_simple(counter, part.needs, part.tasks) for part in requirement.parts)


def _of_choice(counter: str, needs: Simple | Compound) -> int | float:
    return _of_compound(counter, needs) if isinstance(needs, Compound) else _of_simple(counter, needs, 1)


def _of_simple(counter: str, needs: Simple, tasks: int) -> int | float:
    term = next((term for term in needs.rusage if term.resource == counter), None)
    if term is None:
        return tasks if counter == "slots" else 0
    return term.amount * tasks if term.per in (None, "task") else term.amount
