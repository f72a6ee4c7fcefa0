"""Amounts by counter: ceilings, quotas, what hosts have."""

from collections.abc import Collection, Iterator, Mapping

from xcelib.config import codes
from xcelib.config.findings import Finding
from xcelib.config.paths import Path
from xcelib.config.references import undefined
from xcelib.resreq.descriptors import Descriptor


def check_amounts(
    path: Path, amounts: Mapping[str, int], special: Collection[str], known: Mapping[str, Descriptor]
) -> Iterator[Finding]:
    """Each name is one of `special` or a counter; each amount is no debt."""
    for name, amount in amounts.items():
        place = (*path, name)
        if name not in special:
            yield from check_counter(place, name, known, special)
        if amount < 0:
            yield Finding(path=place, code=codes.OUT_OF_RANGE, message=f"`{name}` is {amount}, it may not be below 0")


def check_counter(
    path: Path, name: str, known: Mapping[str, Descriptor], special: Collection[str] = ()
) -> Iterator[Finding]:
    """`name` is a counter, which can be reserved."""
    if name not in known:
        yield from undefined(path, "resource", [name], {*known, *special})
    elif not known[name].is_counter:
        message = f"`{name}` is no counter: it cannot be reserved"
        yield Finding(path=path, code=codes.WRONG_LAYER, message=message)
