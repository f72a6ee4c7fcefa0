"""Limits: the job may set what its profile leaves open, and lower what it sets."""

from collections.abc import Mapping

from xcelib.config.bounds import is_limit_value
from xcelib.config.codes import NOT_SUPPORTED_YET
from xcelib.config.model import LIMITS
from xcelib.config.support import unsupported_limit
from xcelib.errors import did_you_mean
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import JOB
from xcelib.merge.texts import limit_text


def merged_limits(asked: Mapping[str, int], bound: Mapping[str, int], *, profile: str, draft: Draft) -> dict[str, int]:
    """The effective limits, before the queue fills in its run limit."""
    merged = dict(bound)
    for name in bound:
        draft.origins[f"limits.{name}"] = (f"profile:{profile}",)
    for name, value in sorted(asked.items()):
        _check_asked(name, value)
        if name in bound:
            _compare(name, value, bound[name], profile, draft)
        merged[name] = value
        draft.origins[f"limits.{name}"] = (JOB,)
    return merged


def _check_asked(name: str, value: int) -> None:
    if name not in LIMITS:
        hints = did_you_mean(name, LIMITS, otherwise=f"limits are {', '.join(sorted(LIMITS))}")
        reject("unknown_limit", f"limit `{name}` does not exist", attribute=f"limits.{name}", hints=hints)
    feature = unsupported_limit(name)
    if feature is not None:
        message = f"limit `{name}` ({feature}) is not supported yet"
        reject(NOT_SUPPORTED_YET, message, attribute=f"limits.{name}", hints=["leave the limit out"])
    if not is_limit_value(name, value):
        reject(
            "limit_value",
            f"limit `{name}` is {value}, it must be above 0 and below 2^63",
            attribute=f"limits.{name}",
            hints=["leave the limit out for no limit"],
        )


def _compare(name: str, asked: int, bound: int, profile: str, draft: Draft) -> None:
    attribute = f"limits.{name}"
    if asked > bound:
        limit = limit_text(name, bound)
        reject(
            "limit_conflict",
            f"limit `{name}` {limit_text(name, asked)} is above the {limit} of profile `{profile}`",
            attribute=attribute,
            hints=[f"ask for at most {limit}"],
        )
    if asked == bound:
        draft.note_redundant(attribute, profile)
    else:
        draft.shadow(attribute, f"profile:{profile}", limit_text(name, bound))
