"""What is right for any job, whatever the cluster: checked by the client before, and by the server again."""

from collections.abc import Iterator
from typing import Any

from xcelib.errors import Fault, XceError
from xcelib.ids import is_project_path
from xcelib.jobspec import ARRAY_SIZE_MAX, ENV_BYTES_MAX, ENV_COUNT_MAX, SCRIPT_BYTES_MAX, JobSpec
from xcelib.placeholders import expand

ARGUMENT_BYTES_MAX = 128 << 10
PATH_BYTES_MAX = 4096
META_DEPTH_MAX = 64
META_VALUES_MAX = 10_000


def check_spec(spec: JobSpec) -> None:
    """Raise one `XceError` with a fault for every wrong place (JSON pointers into the spec)."""
    faults = list(faults_of(spec))
    if not faults:
        return
    if len(faults) == 1:
        fault = faults[0]
        raise XceError(fault.message, code=fault.code, hints=[fault.hint] if fault.hint else [], faults=faults)
    raise XceError("; ".join(fault.message for fault in faults), code="bad_job", faults=faults)


def faults_of(spec: JobSpec) -> Iterator[Fault]:
    """Every fault of the spec."""
    yield from _command_faults(spec)
    yield from _text_faults(spec)
    yield from _path_faults(spec)
    yield from _environment_faults(spec)
    yield from _meta_faults(spec.exdata.meta)
    if spec.array is not None:
        yield from _array_faults(spec.array.ranges)
    if spec.project is not None and spec.project and not is_project_path(spec.project):
        yield _fault("/project", "bad_project", f"project `{shown(spec.project)}` is no path such as `/eng/cfd`")


def _fault(path: str, code: str, message: str, hint: str = "") -> Fault:
    return Fault(path=path, code=code, message=message, hint=hint)


def shown(text: str) -> str:
    """Text of others made harmless for messages: control characters escaped, at most 80 characters."""
    cut = text if len(text) <= 80 else text[:79] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in cut)


def _has_control(text: str) -> bool:
    return any(not c.isprintable() for c in text)


def _is_encodable(text: str) -> bool:
    """Whether the text can be an argument: UTF-8 without NUL."""
    try:
        return "\0" not in text and (text.isascii() or bool(text.encode("utf-8")))
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _byte_count(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _command_faults(spec: JobSpec) -> Iterator[Fault]:
    if not spec.command and spec.script is None:
        yield _fault("/command", "no_command", "there is no command to run", "give a command after `--`, or a script")
    if spec.command and spec.script is None and not spec.command[0]:
        yield _fault("/command/0", "no_command", "the command is empty")
    for number, argument in enumerate(spec.command):
        if not _is_encodable(argument):
            yield _fault(f"/command/{number}", "bad_text", "an argument is not UTF-8 without NUL")
    if sum(map(_byte_count, spec.command)) > ARGUMENT_BYTES_MAX:
        yield _fault("/command", "too_large", f"the arguments are longer than {ARGUMENT_BYTES_MAX} bytes")
    if spec.script is not None:
        if not spec.script:
            yield _fault("/script", "no_command", "the script is empty")
        elif _byte_count(spec.script) > SCRIPT_BYTES_MAX:
            yield _fault("/script", "too_large", f"the script is larger than {SCRIPT_BYTES_MAX} bytes")
        elif not _is_encodable(spec.script):
            yield _fault("/script", "bad_text", "the script is not UTF-8 without NUL")


def _text_faults(spec: JobSpec) -> Iterator[Fault]:
    if _has_control(spec.name):
        yield _fault("/name", "bad_name", f"the name `{shown(spec.name)}` has control characters")
    for key, value in spec.labels.items():
        if not key or _has_control(key) or _has_control(value):
            yield _fault(
                "/labels",
                "bad_label",
                f"the label `{shown(key)}={shown(value)}` is empty or has control characters",
            )
    if len(spec.labels) > 64:
        yield _fault("/labels", "too_large", f"at most 64 labels, {len(spec.labels)} given")


def _path_faults(spec: JobSpec) -> Iterator[Fault]:
    if not spec.cwd.startswith("/"):
        yield _fault("/cwd", "bad_path", f"the working directory `{shown(spec.cwd)}` is not an absolute path")
    for field in ("cwd", "stdin", "stdout", "stderr"):
        path: str | None = getattr(spec, field)
        if path is None or (field == "cwd" and not path.startswith("/")):
            continue
        if not path or not _is_encodable(path) or _byte_count(path) > PATH_BYTES_MAX:
            yield _fault(f"/{field}", "bad_path", f"`{field}` is no path of at most {PATH_BYTES_MAX} bytes")
        elif field != "cwd":
            yield from _pattern_faults(field, path)


def _pattern_faults(field: str, path: str) -> Iterator[Fault]:
    try:
        expand(path, job_id=1, index=0, name="", host="", user="")
    except XceError as error:
        yield _fault(f"/{field}", error.code, error.message, *error.hints[:1])


def _environment_faults(spec: JobSpec) -> Iterator[Fault]:
    env = spec.exdata.env
    for name in spec.explicit_env:
        if name not in env:
            yield _fault("/explicit_env", "bad_variable", f"`{shown(name)}` is not among the variables")
    if not env or _is_plain_environment(env):
        return
    if len(env) > ENV_COUNT_MAX:
        yield _fault("/exdata/env", "too_large", f"at most {ENV_COUNT_MAX} variables, {len(env)} given")
    if sum(_byte_count(name) + _byte_count(value) + 2 for name, value in env.items()) > ENV_BYTES_MAX:
        yield _fault("/exdata/env", "too_large", f"the environment is larger than {ENV_BYTES_MAX} bytes")
    for name, value in env.items():
        if not name or "=" in name or not _is_encodable(name):
            yield _fault("/exdata/env", "bad_variable", f"`{shown(name)}` is no name of a variable")
        elif name.startswith("XCE_"):
            yield _fault(
                "/exdata/env",
                "reserved_variable",
                f"`{shown(name)}`: names that begin with `XCE_` are XCE's own",
            )
        elif not _is_encodable(value):
            yield _fault("/exdata/env", "bad_variable", f"the value of `{shown(name)}` is not UTF-8 without NUL")


def _meta_faults(meta: dict[str, Any]) -> Iterator[Fault]:
    """`meta` is anybody's, so its depth and its number of values are bounded here; without recursion."""
    count, todo = 0, [(value, 1) for value in meta.values()]
    while todo:
        value, depth = todo.pop()
        count += 1
        if depth > META_DEPTH_MAX or count > META_VALUES_MAX:
            what = f"at most {META_DEPTH_MAX} levels and {META_VALUES_MAX} values"
            yield _fault("/exdata/meta", "too_deep", f"`meta` holds {what}")
            return
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            yield _fault("/exdata/meta", "bad_number", "`meta` holds a number of more than 64 bits")
            return
        if isinstance(value, dict):
            todo.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list):
            todo.extend((inner, depth + 1) for inner in value)


def _is_plain_environment(env: dict[str, str]) -> bool:
    """Whether there is certainly nothing wrong, told by looking at all names and all values at once:
    a submit carries dozens of variables, and a bulk thousands of submits."""
    names, values = "\n".join(env), "\n".join(env.values())
    if len(env) > ENV_COUNT_MAX or _byte_count(names) + _byte_count(values) + 2 * len(env) > ENV_BYTES_MAX:
        return False
    is_named = "" not in env and "=" not in names and "XCE_" not in names
    return is_named and _is_encodable(names) and _is_encodable(values)


def _array_faults(ranges: tuple[tuple[int, int, int], ...]) -> Iterator[Fault]:
    size, end = 0, 0
    for first, last, step in sorted(ranges):
        if last < first:
            yield _fault("/array", "bad_array", f"the range {first}-{last} runs backwards")
            return
        if first <= end:
            yield _fault("/array", "bad_array", f"an array names each element once: {first} stands in two ranges")
            return
        end = last
        size += (last - first) // step + 1
    if not ranges or size > ARRAY_SIZE_MAX:
        yield _fault("/array", "bad_array", f"an array has 1 to {ARRAY_SIZE_MAX} elements, {size} asked")
