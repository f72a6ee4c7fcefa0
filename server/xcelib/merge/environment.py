"""The two environments: the job's, and the profile's, which is applied last and so binds."""

from collections.abc import Collection, Mapping

from xcelib.merge.draft import Draft, reject
from xcelib.merge.effective import JOB
from xcelib.secrets import shown_value


def merged_job_env(
    asked: Mapping[str, str],
    bound: Mapping[str, str],
    *,
    explicit: Collection[str],
    profile: str,
    draft: Draft,
) -> dict[str, str]:
    """The job's environment without what the profile sets.

    A contrary value that was set on purpose (`explicit`) rejects; one that merely came from the
    submitting shell gives way with a note.
    """
    job_env = dict(asked)
    for name, value in sorted(bound.items()):
        draft.origins[f"env.{name}"] = (f"profile:{profile}",)
        own = job_env.pop(name, None)
        if own is None:
            continue
        if own == value:
            if name in explicit:
                draft.note_redundant(f"env.{name}", profile)
        elif name in explicit:
            _refuse_contrary(name, own, value, profile)
        else:
            _note_overridden(name, own, profile, draft)
    return job_env


def _refuse_contrary(name: str, own: str, bound: str, profile: str) -> None:
    reject(
        "env_conflict",
        f"variable `{name}` is set to `{shown_value(name, own)}` by the job "
        f"and to `{shown_value(name, bound)}` by profile `{profile}`, which binds",
        attribute=f"env.{name}",
        hints=[f"leave `{name}` out, or use another profile"],
    )


def _note_overridden(name: str, own: str, profile: str, draft: Draft) -> None:
    draft.shadow(f"env.{name}", JOB, own)
    text = f"variable `{name}` of the submitting shell gives way to that of profile `{profile}`"
    draft.note("env_overridden", text, attribute=f"env.{name}")
