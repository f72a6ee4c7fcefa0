"""Declared application settings: checked here, carried, and never interpreted."""

from collections.abc import Mapping, Sequence

from xcelib.config.bounds import value_fault
from xcelib.config.model import Param
from xcelib.errors import did_you_mean
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import JOB


def merged_params(asked: Mapping[str, str], declared: Sequence[Param], *, profile: str, draft: Draft) -> dict[str, str]:
    """The effective params, in the order of their declaration. `profile` "" is a job without one."""
    if len(asked) > 0:
        _check_declared(asked, declared, profile)
    merged: dict[str, str] = {}
    for param in declared:
        value = asked.get(param.name)
        if value is not None:
            merged[param.name] = _checked(param, value)
            _record_asked(param, value, profile, draft)
        elif param.default is not None:
            merged[param.name] = param.default
            draft.origins[f"app_params.{param.name}"] = (f"profile:{profile}",)
        elif param.required:
            _refuse_missing(param, profile)
    return merged


def _check_declared(asked: Mapping[str, str], declared: Sequence[Param], profile: str) -> None:
    known = [param.name for param in declared]
    for name in sorted(asked):
        if name not in known:
            owner = f"profile `{profile}` declares no" if profile else "the job has no profile to declare"
            otherwise = f"it declares {', '.join(known)}" if known else ""
            hints = did_you_mean(name, known, otherwise=otherwise)
            message = f"{owner} param `{name}`"
            reject("param_undeclared", message, attribute=f"app_params.{name}", hints=hints)


def _checked(param: Param, value: str) -> str:
    fault = value_fault(value)
    if param.choices and value not in param.choices:
        fault = f"it must be one of {', '.join(param.choices)}"
    if fault:
        reject(
            "param_value",
            f"param `{param.name}` is `{value[:64]}`: {fault}",
            attribute=f"app_params.{param.name}",
        )
    return value


def _record_asked(param: Param, value: str, profile: str, draft: Draft) -> None:
    attribute = f"app_params.{param.name}"
    draft.origins[attribute] = (JOB,)
    if param.default is not None and param.default != value:
        draft.shadow(attribute, f"profile:{profile}", param.default)


def _refuse_missing(param: Param, profile: str) -> None:
    wanted = f"one of {', '.join(param.choices)}" if param.choices else param.description or "VALUE"
    reject(
        "param_required",
        f"profile `{profile}` requires param `{param.name}`",
        attribute=f"app_params.{param.name}",
        hints=[f"give it with `--app-param {param.name}=...` ({wanted})"],
    )
