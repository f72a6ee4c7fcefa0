"""Words for people: times, sizes, tables that fit. Pure."""

from collections.abc import Collection, Sequence
from datetime import datetime

from xcelib.quantity import format_duration

CUT = "…"
COLUMN_MIN = 4


def harmless(text: str) -> str:
    """What others wrote, with control characters and direction marks shown instead of obeyed."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def ago(then: float, now: float) -> str:
    """`5s`, `12m`, `3h`, `4d`: how long since."""
    seconds = max(0, int(now - then))
    for unit, factor in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= factor:
            return f"{seconds // factor}{unit}"
    return f"{seconds}s"


def moment(at: float | None) -> str:
    """A time in the local zone, to the second."""
    return "-" if at is None else datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def amount(name: str, value: float) -> str:
    """A counter's amount: sizes in GiB or MiB, the rest as it stands."""
    if name not in ("mem", "swp", "tmp"):
        return str(value)
    return size(int(value))


def size(value: int) -> str:
    """A size in the unit that leaves one to four digits: `512M`, `7.5G`."""
    for unit, factor in (("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if value >= factor:
            number = value / factor
            return f"{number:.0f}{unit}" if number >= 100 or number == int(number) else f"{number:.1f}{unit}"
    return f"{value}B" if value else "0"


def span(seconds: float) -> str:
    """A length of time: `0.2s`, `1m5s`."""
    return f"{seconds:.1f}s" if seconds < 10 else format_duration(int(seconds))


def bar(part: float, whole: float, *, width: int = 20) -> str:
    """A bar of `part` in `whole`; empty where there is no whole."""
    if whole <= 0:
        return ""
    filled = min(width, round(part / whole * width))
    return "#" * filled + "." * (width - filled)


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, whole: Collection[str] = ()
) -> list[str]:
    """Columns side by side, two spaces between. Where that is wider than `width`, the widest columns are cut, and
    those named in `whole` only when nothing else is left."""
    cells = [[harmless(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    for columns in ([n for n, name in enumerate(header) if name not in whole], range(len(header))):
        while sum(widths) + 2 * (len(widths) - 1) > width:
            loose = [n for n in columns if widths[n] > max(len(header[n]), COLUMN_MIN)]
            if not loose:
                break
            widths[max(loose, key=lambda n: widths[n])] -= 1
    return [_line(row, widths) for row in (list(header), *cells)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(_fit(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _fit(cell: str, width: int) -> str:
    return cell.ljust(width) if len(cell) <= width else cell[: width - 1] + CUT
