"""Effective values as rows: what, where from, what it shadowed, and whether it follows the configuration."""

from collections.abc import Iterator

from xcelib.config.model import Hook
from xcelib.merge.effective import JOB, Effective
from xcelib.merge.texts import limit_text, tasks_text
from xcelib.resreq.ast import Resreq, Simple
from xcelib.resreq.printer import expr_text, order_text, span_text, to_text
from xcelib.secrets import shown_value
from xcelib.wire import ExplainRow


def rows(effective: Effective) -> list[ExplainRow]:
    """All effective values in a fixed order. Values that look like secrets are masked."""
    return [_row(effective, attribute, value) for attribute, value in _values(effective)]


def _row(effective: Effective, attribute: str, value: str) -> ExplainRow:
    origins = effective.origins.get(attribute, (JOB,))
    shadowed = effective.shadowed.get(attribute, ())
    if attribute.startswith("env."):
        name = attribute.removeprefix("env.")
        shadowed = tuple((origin, shown_value(name, text)) for origin, text in shadowed)
    return ExplainRow(
        attribute=attribute, value=value, origins=origins, shadowed=shadowed, is_pinned=set(origins) == {JOB}
    )


def _values(effective: Effective) -> Iterator[tuple[str, str]]:
    for name in ("app", "queue", "project", "kind", "mode", "launch"):
        if text := getattr(effective, name):
            yield name, text
    yield "tasks", tasks_text(effective.tasks)
    yield from _requirement(effective.resreq)
    for name, value in sorted(effective.limits.items()):
        yield f"limits.{name}", limit_text(name, value)
    for name in effective.hooks:
        yield name, hook_text(effective.hooks[name])
    for name in ("pre_exec", "post_exec"):
        if text := getattr(effective, name):
            yield name, text
    yield from _entries("app_params", effective.app_params)
    yield from _entries("annotations", effective.annotations)
    yield from _entries("env", effective.profile_env | effective.job_env)


def _requirement(needs: Resreq) -> Iterator[tuple[str, str]]:
    if not isinstance(needs, Simple):
        yield "resreq", to_text(needs)
        return
    if needs.select is not None:
        yield "select", expr_text(needs.select)
    if needs.order:
        yield "order", order_text(needs.order)
    for term in needs.rusage:
        yield f"rusage.{term.resource}", f"{term.text or term.amount} per {term.per or 'task'}"
    if needs.span is not None:
        yield "span", span_text(needs.span)
    if needs.same:
        yield "same", ":".join(needs.same)


def _entries(group: str, values: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(values):
        yield f"{group}.{name}", shown_value(name, values[name])


def hook_text(hook: Hook) -> str:
    """A hook on one line; an argument that needs them gets quotes."""
    if isinstance(hook, str):
        return hook
    return " ".join(argument if argument and " " not in argument else f"'{argument}'" for argument in hook)
