"""What a profile binds of a job's resource requirement, parsed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xcelib.config.model import RusageDefault
from xcelib.resreq.ast import Expr, OrderKey, Span


@dataclass(frozen=True, slots=True)
class Bound:
    """The parsed requirement of profile `name`; "" is a job without a profile, which binds nothing."""

    name: str = ""
    select: Expr | None = None
    order: tuple[OrderKey, ...] = ()
    rusage: Mapping[str, RusageDefault] = field(default_factory=dict)
    span: Span | None = None
    same: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        return f"profile:{self.name}"
