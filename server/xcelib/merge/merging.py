"""The merge itself: one job, one configuration, one answer."""

from typing import cast

from xcelib.config.model import ClusterConfig, Launch, Mode, Profile, ProjectConfig, QueueConfig
from xcelib.merge.ceilings import under_ceilings
from xcelib.merge.compiled import Compiled, CompiledProfile, compiled
from xcelib.merge.draft import Draft, Rejected
from xcelib.merge.effective import CLUSTER, JOB, Effective, Rejection
from xcelib.merge.environment import merged_job_env
from xcelib.merge.execution import check_job_exec, check_kind, merged_choice, merged_hooks
from xcelib.merge.limits import merged_limits
from xcelib.merge.names import Names, resolve
from xcelib.merge.own import Own
from xcelib.merge.params import merged_params
from xcelib.merge.projects import check_project
from xcelib.merge.tasks import merged_tasks

NO_PROFILE = Profile(name="")


def merge_job(own: Own, config: ClusterConfig) -> Effective | Rejection:
    """Resolve the job's names, then merge: what submit, a session, dispatch and `explain` call."""
    names = resolve(own, config)
    if isinstance(names, Rejection):
        return names
    profile = config.applications[names.app] if names.app else None
    project = config.projects.get(names.project)
    return _merged(own, names, profile, config.queues[names.queue], project, compiled(config))


def merge(
    own: Own,
    *,
    profile: Profile | None,
    queue: QueueConfig,
    project: ProjectConfig | None,
    config: ClusterConfig,
) -> Effective | Rejection:
    """Merge with a profile, queue and project that are already looked up; `project` None in open mode."""
    names = Names(
        app=profile.name if profile else "",
        queue=queue.name,
        project=project.path if project else own.project or "",
        app_origin=CLUSTER if own.app is None else JOB,
        queue_origin=JOB if own.queue else CLUSTER,
        project_origin=JOB if own.project else CLUSTER,
    )
    return _merged(own, names, profile, queue, project, compiled(config))


def _merged(
    own: Own,
    names: Names,
    profile: Profile | None,
    queue: QueueConfig,
    project: ProjectConfig | None,
    known: Compiled,
) -> Effective | Rejection:
    try:
        return _effective(own, names, known.profile(profile), queue, project, known)
    except Rejected as rejected:
        return rejected.rejection


def _effective(
    own: Own,
    names: Names,
    bound: CompiledProfile,
    queue: QueueConfig,
    project: ProjectConfig | None,
    known: Compiled,
) -> Effective:
    """Every concern in turn; each adds to the draft. The order decides which fault is told first."""
    draft = Draft()
    profile, name = bound.profile or NO_PROFILE, bound.name
    _record_names(names, draft)
    check_kind(own, bound.profile, draft)
    mode = merged_choice("mode", own.mode, profile.mode, default="direct", profile=name, draft=draft)
    launch = merged_choice("launch", own.launch, profile.launch, default="script", profile=name, draft=draft)
    requirement = bound.requirement(own.resreq)
    draft.add(requirement.draft)
    tasks = merged_tasks(own.tasks, profile.tasks, sums=requirement.sums, profile=name, draft=draft)
    limits = merged_limits(own.limits, profile.limits, profile=name, draft=draft)
    job_env = merged_job_env(own.env, profile.env, explicit=own.explicit_env, profile=name, draft=draft)
    app_params = merged_params(own.app_params, profile.params, profile=name, draft=draft)
    hooks = merged_hooks(own, bound.profile, draft)
    check_job_exec(own, bound.profile, draft)
    for annotation in profile.annotations:
        draft.origins[f"annotations.{annotation}"] = (bound.origin,)
    tasks = under_ceilings(queue, tasks, limits, requirement, config=known.config, known=known.known, draft=draft)
    if project is not None:
        check_project(own, project, tasks.min, requirement, config=known.config, known=known.known, draft=draft)
    return Effective(
        kind=own.kind,
        mode=cast("Mode", mode),
        launch=cast("Launch", launch),
        tasks=tasks,
        resreq=requirement.resreq,
        rusage=requirement.rusage,
        limits=limits,
        job_env=job_env,
        profile_env=profile.env,
        app_params=app_params,
        annotations=profile.annotations,
        hooks=hooks,
        pre_exec=own.pre_exec,
        post_exec=own.post_exec,
        meta=own.meta,
        queue=names.queue,
        project=names.project,
        app=names.app,
        profile_hash=bound.hash,
        origins=draft.origins,
        shadowed=draft.shadowed,
        warnings=tuple(draft.warnings),
        notes=tuple(draft.notes),
    )


def _record_names(names: Names, draft: Draft) -> None:
    origins = draft.origins
    origins["app"] = (names.app_origin,)
    origins["queue"] = (names.queue_origin,)
    if names.project:
        origins["project"] = (names.project_origin,)
