"""Where in the sources a finding about the configuration belongs."""

from typing import Final

from xceadmin.config.faults import SourceFault
from xceadmin.config.nodes import Place
from xceadmin.config.reading import Reading
from xceadmin.config.sources import FILES, PLAIN_FILE
from xcelib.config.findings import Finding
from xcelib.config.paths import Path, path_text

# What stands for a default that nobody wrote: the table that lacks it.
_BESIDE: Final[dict[Path, Path]] = {
    ("default_queue",): ("queues",),
    ("default_application",): ("applications",),
}


def locate(finding: Finding, reading: Reading) -> SourceFault:
    """The finding as a fault at its line and column."""
    return SourceFault(
        place=_column_place(finding, reading) or _place(finding.path, reading),
        code=finding.code,
        message=finding.message,
        hint=finding.hint,
        severity=finding.severity,
        path=path_text(finding.path),
    )


def _place(path: Path, reading: Reading) -> Place:
    """The place of the path, or of the nearest thing around it."""
    for start in (path, _BESIDE.get(path, ())):
        for length in range(len(start), 0, -1):
            place = reading.places.get(start[:length])
            if place is not None:
                return place
    file = next((file for file, keys in FILES.items() if path[0] in keys), PLAIN_FILE)
    return Place(file, 1, 1)


def _column_place(finding: Finding, reading: Reading) -> Place | None:
    """The place inside a text, where that stands in its line as it is (no escapes, no folding)."""
    if finding.column is None:
        return None
    scalar = reading.texts.get(finding.path)
    if scalar is None:
        return None
    file, line, column = scalar.place
    if not scalar.is_verbatim:
        return scalar.place
    return Place(file, line, column + finding.column + (0 if scalar.is_plain else 1))
