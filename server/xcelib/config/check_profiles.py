"""Application profiles: what every job of one must have has to make sense by itself."""

from collections.abc import Iterator

from xcelib.config import codes
from xcelib.config.bounds import is_limit_value
from xcelib.config.check_carried import check_carried
from xcelib.config.check_requirements import check_requirement
from xcelib.config.findings import Finding
from xcelib.config.model import DEFAULT_PROFILE, LIMITS, ClusterConfig, Profile, descriptors
from xcelib.config.paths import Path
from xcelib.config.references import undefined_groups
from xcelib.errors import did_you_mean


def check_profiles(config: ClusterConfig) -> Iterator[Finding]:
    known = descriptors(config)
    for name, profile in config.applications.items():
        path = ("applications", name)
        yield from undefined_groups((*path, "users"), profile.users, config)
        yield from _check_default(profile, path)
        yield from _check_tasks(profile, path)
        yield from _check_limits(profile, path)
        yield from _check_starters(profile, path)
        yield from _check_kind(profile, path)
        yield from check_carried(profile, path)
        if profile.resreq is not None:
            yield from check_requirement(profile.resreq, (*path, "resreq"), config, known)


def _check_default(profile: Profile, path: Path) -> Iterator[Finding]:
    """Every job that names no profile gets `default`, so it has to fit every job."""
    if profile.name != DEFAULT_PROFILE:
        return
    wrong = {
        "users": (bool(profile.users), "may not be restricted to users"),
        "kind": (profile.kind == "service", "may not be a service"),
        "params": (any(param.required for param in profile.params), "may not require a param"),
    }
    for key, (is_wrong, rule) in wrong.items():
        if is_wrong:
            message = f"the profile `{DEFAULT_PROFILE}` {rule}: every job that names no profile gets it"
            yield Finding(path=(*path, key), code=codes.DEFAULT_PROFILE, message=message, hint="use another profile")


def _check_tasks(profile: Profile, path: Path) -> Iterator[Finding]:
    tasks = profile.tasks
    if tasks is not None and tasks.max is not None and tasks.max < tasks.min:
        message = f"`tasks` has min {tasks.min} above max {tasks.max}"
        yield Finding(path=(*path, "tasks"), code=codes.BAD_RANGE, message=message)


def _check_limits(profile: Profile, path: Path) -> Iterator[Finding]:
    for name, value in profile.limits.items():
        place = (*path, "limits", name)
        if name not in LIMITS:
            hint = did_you_mean(name, LIMITS, otherwise=f"limits are {', '.join(sorted(LIMITS))}")[0]
            message = f"limit `{name}` does not exist"
            yield Finding(path=place, code=codes.NO_LIMIT, message=message, hint=hint)
        elif not is_limit_value(name, value):
            message = f"limit `{name}` is {value}, it must be above 0 and below 2^63"
            yield Finding(path=place, code=codes.BAD_LIMIT, message=message, hint="remove it for no limit")


def _check_starters(profile: Profile, path: Path) -> Iterator[Finding]:
    launch = profile.launch or "script"
    if profile.job_starter is not None and launch == "tasks":
        message = "`job_starter` has nothing to start with `launch: tasks`"
        yield Finding(path=(*path, "job_starter"), code=codes.CONTRADICTION, message=message, hint="use `task_starter`")
    if profile.task_starter is not None and launch == "script":
        message = "`task_starter` has nothing to start with `launch: script`"
        yield Finding(path=(*path, "task_starter"), code=codes.CONTRADICTION, message=message, hint="use `job_starter`")


def _check_kind(profile: Profile, path: Path) -> Iterator[Finding]:
    if profile.service is not None and profile.kind != "service":
        message = "`service` needs `kind: service`"
        yield Finding(path=(*path, "service"), code=codes.CONTRADICTION, message=message)
    if profile.kind == "service" and profile.service is None:
        message = "a profile of kind service needs `service`"
        yield Finding(path=(*path, "kind"), code=codes.MISSING_KEY, message=message)
