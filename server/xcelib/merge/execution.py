"""How a job runs: kind, mode, launch, hooks, starters, and its own pre_exec and post_exec."""

from xcelib.config.model import HOOKS, STARTERS, Hook, Profile
from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import DEFAULT, JOB
from xcelib.merge.own import Own

COMMANDS = (*HOOKS, *STARTERS)
PROFILE_ONLY = (*COMMANDS, "annotations")


def check_kind(own: Own, profile: Profile | None, draft: Draft) -> None:
    """A batch job may not name a service profile, nor a service a batch one."""
    draft.origins["kind"] = (DEFAULT,) if profile is None else (f"profile:{profile.name}",)
    kind = "batch" if profile is None else profile.kind
    if own.kind == kind:
        return
    name = "" if profile is None else profile.name
    if kind == "service":
        hint = "start it with `xcecli service create`"
        reject(
            "service_profile",
            f"profile `{name}` is of kind service, not for batch jobs",
            attribute="kind",
            hints=[hint],
        )
    hint = "name a profile of kind service"
    reject(
        "batch_profile",
        f"profile `{name}` is of kind batch, not for services",
        attribute="kind",
        hints=[hint],
    )


def merged_choice(
    attribute: str, asked: str | None, bound: str | None, *, default: str, profile: str, draft: Draft
) -> str:
    """`mode` or `launch`: the profile's, else the job's, else the default."""
    if bound is None:
        draft.origins[attribute] = (DEFAULT,) if asked is None else (JOB,)
        return default if asked is None else asked
    draft.origins[attribute] = (f"profile:{profile}",)
    if asked == bound:
        draft.note_redundant(attribute, profile)
    elif asked is not None:
        reject(
            "attribute_conflict",
            f"{attribute} `{asked}` is asked for, profile `{profile}` binds `{bound}`",
            attribute=attribute,
            hints=[f"leave {attribute} out, or use another profile"],
        )
    return bound


def merged_hooks(own: Own, profile: Profile | None, draft: Draft) -> dict[str, Hook]:
    """The profile's hooks and starters. A job may give none of them."""
    if own.given:
        _refuse_given(own)
    if profile is None:
        return {}
    hooks = {name: hook for name in COMMANDS if (hook := getattr(profile, name)) is not None}
    for name in hooks:
        draft.origins[name] = (f"profile:{profile.name}",)
    return hooks


def _refuse_given(own: Own) -> None:
    name = next(iter(own.given))
    reject("profile_only", f"`{name}` belongs to profiles: a job may not give it", attribute=name)


def check_job_exec(own: Own, profile: Profile | None, draft: Draft) -> None:
    """The job's own commands run inside the profile's hooks, where the profile allows them."""
    for name, command in (("pre_exec", own.pre_exec), ("post_exec", own.post_exec)):
        if command is None:
            continue
        if profile is not None and profile.job_pre_post_exec == "forbidden":
            message = f"profile `{profile.name}` forbids `{name}` of a job (`job_pre_post_exec: forbidden`)"
            reject("job_exec_forbidden", message, attribute=name, hints=[f"leave `{name}` out"])
        draft.origins[name] = (JOB,)
