"""What is measured, of every system alike, and how the results are laid side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One thing that is measured; `better` says which direction is good."""

    key: str
    title: str
    unit: str
    better: Literal["more", "less"]

    def ratio(self, ours: float, theirs: float) -> float:
        """How many times better ours is; below 1 it is worse."""
        return ours / theirs if self.better == "more" else theirs / ours


SLOTS: Final = 64
SINGLES: Final = 1_000
CLIENTS: Final = 4

FIGURES: Final = (
    Figure(key="singles", title="1,000 single `true` jobs, submit to last end", unit="jobs/s", better="more"),
    Figure(key="array", title="array of `true`, submit to last end", unit="elements/s", better="more"),
    Figure(key="submit_ms", title="submit and be answered, p50", unit="ms", better="less"),
    Figure(key="submit_rate", title=f"submits of {CLIENTS} clients at once", unit="jobs/s", better="more"),
    Figure(key="until_run_ms", title="submit until the process has run, p50, idle", unit="ms", better="less"),
    Figure(key="command_ms", title="the submit command, whole process, p50", unit="ms", better="less"),
)

Measured = Mapping[str, float]


def p50_ms(action: Callable[[], object], *, clock: Callable[[], float], repeats: int) -> float:
    """The median time of `action` in milliseconds, after one run that is not counted."""
    action()
    times = []
    for _ in range(repeats):
        began = clock()
        action()
        times.append(clock() - began)
    return median(times) * 1000


def table(ours: Measured, theirs: Mapping[str, Measured]) -> list[str]:
    """One row a figure: XCE, then each peer with how many times better XCE is."""
    head = ["figure", "XCE", *(cell for peer in theirs for cell in (peer, "ratio"))]
    rows = [head]
    for figure in FIGURES:
        row = [f"{figure.title} ({figure.unit})", _number(ours.get(figure.key))]
        for measured in theirs.values():
            row += [_number(measured.get(figure.key)), _ratio(figure, ours, measured)]
        rows.append(row)
    return _aligned(rows)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(figure: Figure, ours: Measured, theirs: Measured) -> str:
    if figure.key not in ours or figure.key not in theirs:
        return "-"
    return f"{figure.ratio(ours[figure.key], theirs[figure.key]):.2f}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return lines
