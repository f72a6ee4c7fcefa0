"""Compound and alternative requirements: the profile's select enters every part, nothing else may."""

from collections.abc import Mapping

from xcelib.merge.bound import Bound
from xcelib.merge.draft import reject
from xcelib.merge.rusage import check_per, need_of, terms_of
from xcelib.resreq.ast import Alternative, Choice, Compound, Part, Simple
from xcelib.resreq.combine import conjoin
from xcelib.resreq.descriptors import Descriptor

Known = Mapping[str, Descriptor]


def merged_parts(bound: Bound, asked: Compound | Alternative, known: Known) -> Compound | Alternative:
    """The job's requirement with the profile's select in each part, and the terms in effective form."""
    _refuse_what_cannot_enter(bound, asked)
    if isinstance(asked, Compound):
        return _merged_compound(bound, asked, known)
    return Alternative(
        tuple(Choice(_merged_choice(bound, choice.needs, known), choice.delay_s) for choice in asked.choices)
    )


def part_sums(asked: Compound | Alternative) -> tuple[int, ...]:
    """The task counts that compound requirements fix; none for an alternative of simple ones."""
    if isinstance(asked, Compound):
        return (sum(part.tasks for part in asked.parts),)
    compounds = [choice.needs for choice in asked.choices if isinstance(choice.needs, Compound)]
    return tuple(sum(part.tasks for part in compound.parts) for compound in compounds)


def _refuse_what_cannot_enter(bound: Bound, asked: Compound | Alternative) -> None:
    defaults = [entry for entry in bound.rusage.values() if entry.default is not None]
    present = {"rusage": bool(defaults), "span": bound.span, "same": bound.same, "order": bound.order}
    section = next((name for name, value in present.items() if value), None)
    if section is None:
        return
    form = "a compound" if isinstance(asked, Compound) else "an alternative"
    reject(
        "compound_unsupported",
        f"profile `{bound.name}` binds `{section}`, which cannot combine with {form} requirement of a job",
        attribute=section,
        hints=["write one simple requirement", "use a profile that binds nothing but `select`"],
    )


def _merged_choice(bound: Bound, needs: Simple | Compound, known: Known) -> Simple | Compound:
    return _merged_compound(bound, needs, known) if isinstance(needs, Compound) else _merged_simple(bound, needs, known)


def _merged_compound(bound: Bound, asked: Compound, known: Known) -> Compound:
    return Compound(tuple(Part(part.tasks, _merged_simple(bound, part.needs, known)) for part in asked.parts))


def _merged_simple(bound: Bound, asked: Simple, known: Known) -> Simple:
    select = asked.select
    if bound.select is not None:
        select = bound.select if select is None else conjoin(bound.select, select)
    needs = [need_of(term) for term in asked.rusage]
    for need in needs:
        if need.resource in bound.rusage:
            check_per(need, bound.rusage[need.resource], bound)
    kept = sorted((need for need in needs if need.amount > 0), key=lambda need: need.resource)
    return Simple(select, asked.order, terms_of(kept, known), asked.span, asked.same)
