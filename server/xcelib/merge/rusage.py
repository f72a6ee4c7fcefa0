"""Rusage terms: a union over resources, where the job's term wins whole."""

from collections.abc import Mapping, Sequence

from xcelib.config.model import RusageDefault
from xcelib.merge.bound import Bound
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import JOB, Need
from xcelib.merge.texts import amount_text
from xcelib.resreq.ast import Term
from xcelib.resreq.descriptors import Descriptor


def merged_rusage(
    bound: Bound, asked: Sequence[Term], known: Mapping[str, Descriptor], draft: Draft
) -> tuple[Need, ...]:
    """The effective terms, sorted by name; a term of 0 is dropped."""
    needs = {need.resource: need for need in map(need_of, asked)}
    for name, need in needs.items():
        draft.origins[f"rusage.{name}"] = (JOB,)
        if name in bound.rusage:
            _compare(need, bound.rusage[name], bound, draft, is_size=is_size(name, known))
    for name, entry in bound.rusage.items():
        if name not in needs and entry.default is not None:
            needs[name] = Need(name, entry.default, entry.per)
            draft.origins[f"rusage.{name}"] = (bound.origin,)
    return tuple(needs[name] for name in sorted(needs) if needs[name].amount > 0)


def need_of(term: Term) -> Need:
    """A term of the job's; an omitted `per` means task."""
    return Need(term.resource, term.amount, term.per or "task")


def terms_of(needs: Sequence[Need], known: Mapping[str, Descriptor]) -> tuple[Term, ...]:
    """The same as terms of a tree, with texts that parse again."""
    return tuple(
        Term(
            need.resource,
            need.amount,
            need.per,
            amount_text(need.amount, is_size=is_size(need.resource, known)),
        )
        for need in needs
    )


def is_size(resource: str, known: Mapping[str, Descriptor]) -> bool:
    return known[resource].type == "size"


def check_per(need: Need, entry: RusageDefault, bound: Bound) -> None:
    """Refuse a term that counts per something else than its profile says."""
    if need.per != entry.per:
        reject(
            "rusage_per_conflict",
            f"`{need.resource}` is asked for per {need.per}, profile `{bound.name}` binds it per {entry.per}",
            attribute=f"rusage.{need.resource}",
            hints=[f"write `{need.resource}=AMOUNT/{entry.per}`"],
        )


def _compare(need: Need, entry: RusageDefault, bound: Bound, draft: Draft, *, is_size: bool) -> None:
    check_per(need, entry, bound)
    if entry.default is None:
        return
    name, attribute = need.resource, f"rusage.{need.resource}"
    default, asked = amount_text(entry.default, is_size=is_size), amount_text(need.amount, is_size=is_size)
    if need.amount == entry.default:
        draft.note_redundant(attribute, bound.name)
        return
    draft.shadow(attribute, bound.origin, default)
    if need.amount < entry.default:
        draft.warn("rusage_lowered", f"{name} {asked} is below {bound.name}'s {default}", attribute=attribute)
