"""The texts of a profile's requirement: read, and brought into their canonical form."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from xcelib.config.model import MemoryUnit, ProfileResreq
from xcelib.errors import XceError
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.parser import parse_order, parse_select, parse_span
from xcelib.resreq.printer import expr_text, order_text, span_text

TEXTS = ("select", "order", "span")


def parse_text(section: str, text: str, known: Mapping[str, Descriptor], memory_unit: MemoryUnit) -> Any:
    """The tree of one of `TEXTS`; raises what the grammar raises."""
    if section == "select":
        return parse_select(text, known=known, memory_unit=memory_unit)
    return parse_order(text, known=known) if section == "order" else parse_span(text)


_PRINTERS: dict[str, Callable[[Any], str]] = {"select": expr_text, "order": order_text, "span": span_text}


def canonical_resreq(resreq: ProfileResreq, known: Mapping[str, Descriptor], memory_unit: MemoryUnit) -> ProfileResreq:
    """The same requirement, its texts as the printer writes them; one that does not parse stays."""
    texts = {section: getattr(resreq, section) for section in TEXTS}
    printed = {section: _canonical(section, text, known, memory_unit) for section, text in texts.items() if text}
    return msgspec.structs.replace(resreq, **printed)


def _canonical(section: str, text: str, known: Mapping[str, Descriptor], memory_unit: MemoryUnit) -> str:
    try:
        tree = parse_text(section, text, known, memory_unit)
        printed = _PRINTERS[section](tree)
        # A text may need its quotes here, where the site declares an attribute of that name.
        return printed if parse_text(section, printed, known, memory_unit) == tree else text
    except XceError:
        return text
