"""The laws of joining requirements, told a second way: on trees. The product joins texts (`xcelib.resreq.sections`),
because a client does not know the site's names; what both say must be the same."""

from collections.abc import Sequence

from xcelib.errors import Usage
from xcelib.resreq.ast import Resreq, Simple, Term
from xcelib.resreq.combine import conjoin


def join_same_layer(requirements: Sequence[Resreq]) -> Resreq:
    """Several `-R` of one layer: selects AND; any other section may stand in one of them only."""
    joined = requirements[0] if requirements else Simple()
    for other in requirements[1:]:
        joined = _join(joined, other)
    return joined


def _join(left: Resreq, right: Resreq) -> Resreq:
    if not isinstance(left, Simple) or not isinstance(right, Simple):
        raise Usage("a compound or alternative requirement stands alone", code="requirement_clash")
    for section in ("order", "rusage", "span", "same"):
        if getattr(left, section) and getattr(right, section):
            raise Usage(
                f"the section `{section}` stands in two requirements",
                code="requirement_clash",
                hints=["put it into one `--resreq`"],
            )
    selects = [needs.select for needs in (left, right) if needs.select is not None]
    return Simple(
        select=conjoin(*selects) if len(selects) == 2 else (selects[0] if selects else None),
        order=left.order or right.order,
        rusage=left.rusage or right.rusage,
        span=left.span or right.span,
        same=left.same or right.same,
    )


def override(earlier: Resreq, later: Resreq) -> Resreq:
    """Across layers the later's section, or its single rusage term, replaces the earlier's."""
    if not isinstance(earlier, Simple) or not isinstance(later, Simple):
        return later
    return Simple(
        select=later.select if later.select is not None else earlier.select,
        order=later.order or earlier.order,
        rusage=_override_terms(earlier.rusage, later.rusage),
        span=later.span or earlier.span,
        same=later.same or earlier.same,
    )


def _override_terms(earlier: tuple[Term, ...], later: tuple[Term, ...]) -> tuple[Term, ...]:
    terms = {term.resource: term for term in earlier}
    terms.update({term.resource: term for term in later})
    return tuple(terms.values())
