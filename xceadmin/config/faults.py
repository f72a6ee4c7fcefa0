"""The faults of a build: collected, never raised, so that one run tells all of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from xceadmin.config.nodes import Place
from xcelib.config.findings import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFault:
    """One wrong or doubtful place in a source file. `path` is its place in the configuration, if any."""

    place: Place
    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    path: str = ""


@dataclass(slots=True)
class Faults:
    """A collection that answers them sorted by file and position, each once."""

    _found: dict[tuple[Place, str, str], SourceFault] = field(default_factory=dict)

    def add(self, place: Place, code: str, message: str, *, hint: str = "") -> None:
        self.put(SourceFault(place=place, code=code, message=message, hint=hint))

    def put(self, fault: SourceFault) -> None:
        self._found.setdefault((fault.place, fault.code, fault.message), fault)

    def __iter__(self) -> Iterator[SourceFault]:
        return iter(sorted(self._found.values(), key=lambda fault: (fault.place, fault.code, fault.message)))

    def errors(self) -> tuple[SourceFault, ...]:
        return tuple(fault for fault in self if fault.severity == "error")

    def warnings(self) -> tuple[SourceFault, ...]:
        return tuple(fault for fault in self if fault.severity == "warning")
