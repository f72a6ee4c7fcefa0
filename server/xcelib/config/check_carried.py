"""What a profile carries to its jobs' processes: variables, params, annotations."""

from collections.abc import Iterator, Mapping

from xcelib.config import codes
from xcelib.config.bounds import (
    ENTRIES_MAX,
    TOTAL_BYTES_MAX,
    exported_name,
    is_variable_name,
    name_fault,
    value_fault,
)
from xcelib.config.findings import Finding
from xcelib.config.model import Param, Profile
from xcelib.config.paths import Path
from xcelib.jobspec import ENV_BYTES_MAX, ENV_COUNT_MAX
from xcelib.secrets import looks_secret_name, looks_secret_value

RESERVED_PREFIX = "XCE_"


def check_carried(profile: Profile, path: Path) -> Iterator[Finding]:
    """Names that can be exported, values that can be carried, and no secrets among them."""
    yield from _check_env(profile.env, (*path, "env"))
    yield from _check_names([param.name for param in profile.params], (*path, "params"))
    yield from _check_names(list(profile.annotations), (*path, "annotations"))
    for param in profile.params:
        yield from _check_param(param, (*path, "params", param.name))
    defaults = {param.name: param.default or "" for param in profile.params}
    for group, values in (("params", defaults), ("annotations", profile.annotations)):
        yield from _check_values(values, (*path, group))
        yield from _check_secrets(values, (*path, group))
    yield from _check_secrets(profile.env, (*path, "env"))
    yield from _check_total(profile, path)


def _check_env(env: Mapping[str, str], path: Path) -> Iterator[Finding]:
    for name, value in env.items():
        place = (*path, name)
        if name.startswith(RESERVED_PREFIX):
            message = f"variable `{name}` is reserved: XCE sets `XCE_*` itself"
            yield Finding(path=place, code=codes.RESERVED, message=message)
        elif not is_variable_name(name):
            hint = "letters, digits and `_`, the first no digit"
            yield Finding(path=place, code=codes.BAD_NAME, message=f"`{name[:80]}` is no name of a variable", hint=hint)
        if "\0" in value:
            yield Finding(path=place, code=codes.BAD_VALUE, message=f"the value of `{name}` may hold no NUL")
    size = sum(len(name.encode()) + len(value.encode()) + 2 for name, value in env.items())
    if size > ENV_BYTES_MAX or len(env) > ENV_COUNT_MAX:
        bounds = f"at most {ENV_COUNT_MAX:,} of {ENV_BYTES_MAX:,} bytes are allowed"
        message = f"{len(env)} variables of {size:,} bytes, {bounds}"
        yield Finding(path=path, code=codes.OUT_OF_RANGE, message=message)


def _check_names(names: list[str], path: Path) -> Iterator[Finding]:
    """Names are exported as variables, so no two may become the same one."""
    seen: dict[str, str] = {}
    for name in names:
        if fault := name_fault(name):
            yield Finding(path=(*path, name), code=codes.BAD_NAME, message=f"`{name[:80]}`: {fault}")
        exported = exported_name(name)
        first = seen.setdefault(exported, name)
        if first != name:
            message = f"`{name}` and `{first}` both become `{exported}`"
            yield Finding(path=(*path, name), code=codes.COLLISION, message=message, hint="rename one of them")
    if len(names) > ENTRIES_MAX:
        message = f"{len(names)} entries, at most {ENTRIES_MAX} are allowed"
        yield Finding(path=path, code=codes.OUT_OF_RANGE, message=message)


def _check_param(param: Param, path: Path) -> Iterator[Finding]:
    if param.default is not None and param.choices and param.default not in param.choices:
        message = f"default `{param.default}` of param `{param.name}` is none of its choices"
        hint = f"choices are {', '.join(param.choices)}"
        yield Finding(path=(*path, "default"), code=codes.CONTRADICTION, message=message, hint=hint)
    if param.default is not None and param.required:
        message = f"param `{param.name}` has a default and is required: a job need not give it"
        yield Finding(path=(*path, "required"), code=codes.CONTRADICTION, message=message, hint="keep one of the two")
    for choice in param.choices:
        if fault := value_fault(choice):
            message = f"a choice of param `{param.name}`: {fault}"
            yield Finding(path=(*path, "choices"), code=codes.BAD_VALUE, message=message)


def _check_values(values: Mapping[str, str], path: Path) -> Iterator[Finding]:
    for name, value in values.items():
        if fault := value_fault(value):
            yield Finding(path=(*path, name), code=codes.BAD_VALUE, message=f"the value of `{name}`: {fault}")


def _check_secrets(values: Mapping[str, str], path: Path) -> Iterator[Finding]:
    """Warnings name the key, and never the value."""
    hint = "keep secrets in files that only the job's user can read"
    for name, value in values.items():
        code, what = "", ""
        if looks_secret_name(name):
            code, what = codes.SECRET_NAME, f"`{name}`"
        elif looks_secret_value(value):
            code, what = codes.SECRET_VALUE, f"the value of `{name}`"
        if code:
            message = f"{what} looks like a secret: every user can read profiles"
            yield Finding(path=(*path, name), code=code, message=message, hint=hint, severity="warning")


def _check_total(profile: Profile, path: Path) -> Iterator[Finding]:
    """Params and annotations together."""
    entries = [*((param.name, param.default or "") for param in profile.params), *profile.annotations.items()]
    size = sum(len(name.encode()) + len(value.encode()) for name, value in entries)
    if size > TOTAL_BYTES_MAX:
        message = f"params and annotations are {size:,} bytes together, at most {TOTAL_BYTES_MAX:,} are allowed"
        yield Finding(path=path, code=codes.OUT_OF_RANGE, message=message)
