"""Resource requirements: the job adds to what its profile requires, section by section."""

from collections.abc import Mapping
from dataclasses import dataclass

from xcelib.merge.bound import Bound
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import JOB, Need
from xcelib.merge.parts import merged_parts, part_sums
from xcelib.merge.rusage import merged_rusage, terms_of
from xcelib.resreq.ast import Expr, OrderKey, Resreq, Simple, Span
from xcelib.resreq.combine import conjoin
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.evaluate import contradictory
from xcelib.resreq.printer import expr_text, span_text


@dataclass(frozen=True, slots=True)
class Requirement:
    """The merge of one profile's requirement and one job's; jobs of equal text share it.

    `sums` are the task counts of compound requirements.
    """

    resreq: Resreq
    rusage: tuple[Need, ...]
    sums: tuple[int, ...]
    draft: Draft


def merged_requirement(bound: Bound, asked: Resreq, known: Mapping[str, Descriptor]) -> Requirement:
    """Merge what the job asks for (an empty `Simple` for nothing) into what the profile binds."""
    draft = Draft()
    if not isinstance(asked, Simple):
        _record_select(bound.select, None, bound, draft)
        parts = merged_parts(bound, asked, known)
        return Requirement(parts, (), part_sums(asked), draft)
    rusage = merged_rusage(bound, asked.rusage, known, draft)
    merged = Simple(
        select=_merged_select(bound, asked.select, draft),
        order=_merged_order(bound, asked.order, draft),
        rusage=terms_of(rusage, known),
        span=_merged_span(bound, asked.span, draft),
        same=_merged_same(bound, asked.same, draft),
    )
    return Requirement(merged, rusage, (), draft)


def _merged_select(bound: Bound, asked: Expr | None, draft: Draft) -> Expr | None:
    _record_select(bound.select, asked, bound, draft)
    if bound.select is None or asked is None:
        merged = bound.select if asked is None else asked
    else:
        merged = conjoin(bound.select, asked)
    if merged is not None and contradictory(merged):
        text = f"no host can match `{expr_text(merged)}`: it asks for two values of one attribute"
        draft.warn("select_never_true", text, attribute="select")
    return merged


def _record_select(bound_select: Expr | None, asked: Expr | None, bound: Bound, draft: Draft) -> None:
    _record("select", bound_select is not None, asked is not None, bound, draft)


def _record(attribute: str, by_profile: bool, by_job: bool, bound: Bound, draft: Draft) -> None:
    """Both sides of an attribute that adds up are its origins."""
    origins = (bound.origin,) * by_profile + (JOB,) * by_job
    if origins:
        draft.origins[attribute] = origins


def _merged_order(bound: Bound, asked: tuple[OrderKey, ...], draft: Draft) -> tuple[OrderKey, ...]:
    """The profile's keys, then the job's; a key that stands already decides nothing and is left out."""
    _record("order", bool(bound.order), bool(asked), bound, draft)
    standing = {key.name for key in bound.order}
    return bound.order + tuple(key for key in asked if key.name not in standing)


def _merged_same(bound: Bound, asked: tuple[str, ...], draft: Draft) -> tuple[str, ...]:
    _record("same", bool(bound.same), bool(asked), bound, draft)
    return bound.same + tuple(name for name in asked if name not in bound.same)


def _merged_span(bound: Bound, asked: Span | None, draft: Draft) -> Span | None:
    if bound.span is None:
        _record("span", False, asked is not None, bound, draft)
        return asked
    draft.origins["span"] = (bound.origin,)
    if asked == bound.span:
        draft.note_redundant("span", bound.name)
    elif asked is not None:
        reject(
            "span_conflict",
            f"span `{span_text(asked)}` is asked for, profile `{bound.name}` binds `{span_text(bound.span)}`",
            attribute="span",
            hints=["leave the span out of `--resreq`"],
        )
    return bound.span
