"""From merged option values to the request: one pure function."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from xcelib.errors import Usage, did_you_mean
from xcelib.jobspec import Exdata, JobSpec
from xcelib.options.bounds import check_bounds
from xcelib.options.environment import chosen_environment
from xcelib.options.values import Values
from xcelib.quantity import format_size, parse_duration, parse_size
from xcelib.resreq.sections import with_term

# What is carried over as it stands: option -> field of the spec.
PLAIN = {
    "name": "name",
    "array": "array",
    "queue": "queue",
    "app": "app",
    "project": "project",
    "priority": "priority",
    "tasks": "tasks",
    "launch": "launch",
    "label": "labels",
    "stdin": "stdin",
    "stdout": "stdout",
    "stderr": "stderr",
    "after": "depends",
    "on-dependency-failure": "on_dependency_failure",
    "begin": "begin",
    "hold": "hold",
    "rerun": "rerunnable",
    "requeue-exit": "requeue_exit_codes",
    "max-requeue": "max_requeue",
    "success-exit": "success_exit_codes",
}
_OPTIONS = {field: name for name, field in PLAIN.items()} | {"resreq": "resreq"}
LIMIT_SIZES = frozenset({"memory", "file_size", "core_size", "stack"})
LIMIT_DURATIONS = frozenset({"run_time", "cpu_time"})
LIMIT_COUNTS = frozenset({"processes", "open_files"})
LIMITS = LIMIT_SIZES | LIMIT_DURATIONS | LIMIT_COUNTS


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """Where the submit happens: passed in, so that building a request reads nothing."""

    cwd: str
    umask: int
    environ: Mapping[str, str]
    env_files: Mapping[str, str] = {}  # path -> text of what `--env-file` names


class Built(msgspec.Struct, frozen=True):
    spec: JobSpec
    notes: tuple[str, ...]


def build_request(
    values: Values, *, command: Sequence[str], script: str | None, here: Here, meta: Mapping[str, Any] = {}
) -> Built:
    """The request and notes about what was left out. `meta` is what the client adds (presets)."""
    fields: dict[str, Any] = {field: values[name] for name, field in PLAIN.items() if name in values}
    limits = _limits(values)
    resreq = _requirement(values, limits)
    check_bounds({**fields, "resreq": resreq}, _OPTIONS)
    env, explicit, notes = chosen_environment(values, here.environ, here.env_files)
    exdata = Exdata(
        env=env, limits=limits, app_params=values.get("app-param", {}), meta={**values.get("meta", {}), **meta}
    )
    spec = JobSpec(
        command=tuple(command),
        script=script,
        resreq=resreq,
        cwd=_absolute(values.get("cwd", ""), here.cwd),
        umask=here.umask,
        exdata=exdata,
        explicit_env=explicit,
        **fields,
    )
    return Built(spec, notes)


def _absolute(path: str, cwd: str) -> str:
    if not path:
        return cwd
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def _limits(values: Values) -> dict[str, int]:
    limits: dict[str, int] = {}
    if "run-limit" in values:
        limits["run_time"] = values["run-limit"]
    if "memory" in values:
        limits["memory"] = values["memory"]
    for name, text in values.get("limit", {}).items():
        if name in limits:
            raise Usage(f"--limit: `{name}` is given by its own option already", code="repeated_option")
        if name not in LIMITS:
            hints = did_you_mean(name, LIMITS, otherwise=f"limits are {', '.join(sorted(LIMITS))}")
            raise Usage(f"--limit: there is no limit `{name[:40]}`", code="unknown_limit", hints=hints)
        try:
            limits[name] = _limit(name, text)
        except Usage as error:
            raise Usage(f"--limit: `{name}`: {error.message}", code=error.code, hints=error.hints) from error
    return limits


def _limit(name: str, text: str) -> int:
    if name in LIMIT_SIZES:
        return parse_size(text)
    if name in LIMIT_DURATIONS:
        return parse_duration(text)
    if text.isascii() and text.isdigit() and len(text) < 12:
        return int(text)
    raise Usage(f"a whole number, not `{text[:40]}`", code="bad_number")


def _requirement(values: Values, limits: Mapping[str, int]) -> str:
    """The requirement with the terms that other options stand for."""
    text: str = values.get("resreq", "")
    if "slots-per-task" in values:
        text = with_term(text, "slots", f"slots={values['slots-per-task']}/task", is_binding=True)
    if "memory" in limits and "memory" in values:
        text = with_term(text, "mem", f"mem={format_size(limits['memory'])}/task", is_binding=False)
    return text
