"""What can be named in a requirement: attributes and load indexes of hosts, and counters."""

from typing import Final, Literal

import msgspec

ValueType = Literal["string", "number", "size", "boolean"]
Layer = Literal["attribute", "load", "counter", "instance"]


class Descriptor(msgspec.Struct, frozen=True, kw_only=True):
    """One name. `is_ascending` is how `order` sorts by it when nothing turns it round: a load rises from
    the best host, an amount falls."""

    name: str
    type: ValueType
    layer: Layer
    scope: Literal["host", "shared"] = "host"
    is_ascending: bool = False

    @property
    def is_attribute(self) -> bool:
        """Whether it is a fact about a host, as `hosts.yaml` gives them."""
        return self.layer == "attribute"

    @property
    def is_counter(self) -> bool:
        """Whether `rusage` can reserve it."""
        return self.layer in ("counter", "instance")


def _described(layer: Layer, value_type: ValueType, names: str, *, is_ascending: bool = False) -> list[Descriptor]:
    return [Descriptor(name=n, type=value_type, layer=layer, is_ascending=is_ascending) for n in names.split()]


BUILTINS: Final[dict[str, Descriptor]] = {
    each.name: each
    for each in (
        *_described("attribute", "string", "type model hname status tags", is_ascending=True),
        *_described("attribute", "number", "ncpus ncores nsockets"),
        *_described("attribute", "size", "maxmem maxswp maxtmp"),
        *_described("load", "number", "r15s r1m r15m ut pg io ls", is_ascending=True),
        *_described("load", "number", "it"),
        *_described("counter", "number", "slots gpus"),
        *_described("counter", "size", "mem swp tmp"),
    )
}
