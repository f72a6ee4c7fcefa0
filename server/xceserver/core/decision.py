"""What a rule gives back."""

from typing import Any

import msgspec

from xceserver.core.effects import Effect
from xceserver.core.events import AnyEvent


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Events to make durable, effects that no event implies, and the answer for whoever asked."""

    events: tuple[AnyEvent, ...] = ()
    effects: tuple[Effect, ...] = ()
    answer: Any = None


NOTHING = Decision()
