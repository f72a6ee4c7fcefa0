"""How effective values are written in messages and in `explain`."""

from xcelib.config.model import LIMIT_DURATIONS, LIMIT_SIZES
from xcelib.jobspec import TaskRange
from xcelib.quantity import format_duration, format_size


def limit_text(name: str, value: int) -> str:
    """`8h`, `4G` or a plain count, by the limit's kind."""
    if name in LIMIT_DURATIONS:
        return format_duration(value)
    return format_size(value) if name in LIMIT_SIZES else str(value)


def amount_text(amount: int | float, *, is_size: bool) -> str:
    """An amount of a resource: `4G` for a size, else the number."""
    return format_size(int(amount)) if is_size else f"{amount:g}"


def tasks_text(tasks: TaskRange) -> str:
    """`4`, `4-16`, or `4 or more`."""
    if tasks.max is None:
        return f"{tasks.min} or more"
    return str(tasks.min) if tasks.min == tasks.max else f"{tasks.min}-{tasks.max}"


def count_text(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
