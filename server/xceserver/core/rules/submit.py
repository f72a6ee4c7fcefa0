"""Accepting jobs: names, the merge, dependencies, limits, feasibility; then ids."""

from collections.abc import Callable, Mapping

import msgspec

from xcelib import depends
from xcelib.config.model import ClusterConfig, queue_hosts
from xcelib.errors import Fault, NotPermitted, Refused, XceError, did_you_mean
from xcelib.jobspec import JobSpec
from xcelib.merge import Effective, Finding, Own, Rejection, merge_job, own_of
from xcelib.ranges import IndexSet
from xcelib.resreq.ast import Simple
from xcelib.speccheck import check_spec
from xcelib.wire import BulkSubmitted, Submitted
from xceserver.core import events as ev
from xceserver.core.commands import Submit
from xceserver.core.decision import Decision
from xceserver.core.dependencies import Verdict, known_outcome, verdicts
from xceserver.core.records import PLAIN_ENDS, Actor, EndRules, Job, Needs, Note
from xceserver.core.sizing import Sizing, shared_counters, shared_totals, sizing_of
from xceserver.core.state import ClusterState
from xceserver.core.view import capacity

PENDING_PER_USER_MAX = 1_000_000
PENDING_MAX = 2_000_000
SPEC_ENCODER = msgspec.msgpack.Encoder()


class Merges:
    """The full merges of one configuration, remembered by what they depend on.

    A command, a working directory or a variable that no profile binds does not change the merge,
    so a bulk of like jobs is merged once.
    """

    def __init__(self, config: ClusterConfig) -> None:
        self._config = config
        self._known: dict[object, Effective | Rejection] = {}
        self.shared = shared_counters(config)

    def of(self, spec: JobSpec, user: str) -> Effective | Rejection:
        """The merge of a job as submitted. Its `job_env` and `meta` are those of the first such job."""
        extension = spec.exdata
        if extension.app_params or self._binds_environment(spec.app):
            return merge_job(own_of(spec, user), self._config)
        limits = tuple(sorted(extension.limits.items()))
        key = (user, spec.app, spec.queue, spec.project, spec.tasks, spec.launch, spec.resreq, limits)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > 10_000:
                self._known.clear()
            known = self._known[key] = merge_job(own_of(spec, user), self._config)
        return known

    def _binds_environment(self, app: str | None) -> bool:
        name = self._config.default_application if app is None else app
        profile = self._config.applications.get(name)
        return profile is not None and bool(profile.env)


def submit(state: ClusterState, command: Submit, merges: Merges, *, now: float) -> Decision:
    """Accept all the jobs or none. Raises `XceError`; of several jobs, with a fault for each wrong one."""
    _check_pending_limits(state, command)
    for job in command.known:
        assert job.is_final, f"job {job.id} was given as finished"
    intake = _Intake(state, command, merges, now=now)
    events: list[ev.AnyEvent] = []
    answers: list[Submitted] = []
    faults: list[Fault] = []
    for number, spec in enumerate(command.specs):
        try:
            event, answer = intake.accept(spec, job_id=state.next_job_id + number)
        except XceError as error:
            if len(command.specs) == 1:
                raise
            faults.append(Fault(path=f"/jobs/{number}", code=error.code, message=error.message))
            if len(faults) >= 100:
                break
        else:
            events.append(event)
            answers.append(answer)
    if faults:
        raise XceError(
            f"{len(faults)} of {len(command.specs)} jobs are refused, so none was accepted",
            code="bulk_refused",
            faults=faults,
        )
    whole = BulkSubmitted(jobs=tuple(answers)) if command.is_bulk else answers[0]
    return Decision(events=tuple(events), answer=whole)


def _check_pending_limits(state: ClusterState, command: Submit) -> None:
    asked = sum(element_count(spec) for spec in command.specs)
    mine = state.pending_by_user[command.actor.user]
    everyone = sum(state.pending_by_user.values())
    for present, limit, whose in (
        (mine, PENDING_PER_USER_MAX, f"user `{command.actor.user}` may have"),
        (everyone, PENDING_MAX, "the cluster holds"),
    ):
        if present + asked > limit:
            error = Refused(
                f"{whose} at most {limit} pending elements: {present} are pending, {asked} more asked",
                code="pending_limit",
            )
            error.http_status = 429
            raise error


def element_count(spec: JobSpec) -> int:
    """How many elements the job has; nothing is expanded."""
    if spec.array is None:
        return 1
    return sum((last - first) // step + 1 for first, last, step in spec.array.ranges)


class _Intake:
    """What the jobs of one submit are checked against."""

    def __init__(self, state: ClusterState, command: Submit, merges: Merges, *, now: float) -> None:
        self.state = state
        self.command = command
        self.merges = merges
        self.now = now
        self.known = {job.id: job for job in command.known}
        self._judged: Effective | None = None  # the like jobs of a bulk share their merge: one judgement does for all

    def accept(self, spec: JobSpec, *, job_id: int) -> tuple[ev.JobSubmitted, Submitted]:
        actor = self.command.actor
        check_spec(spec)
        if actor.uid == 0 and not self.state.config.allow_root_jobs:
            raise NotPermitted(
                "this cluster runs no jobs of root (`allow_root_jobs: false` in xce.yaml)",
                code="root_refused",
            )
        effective = self.merges.of(spec, actor.user)
        if isinstance(effective, Rejection):
            raise effective.as_error()
        if effective is not self._judged:
            self._check_queue(effective.queue)
            self._check_feasible(self._sizing(effective), effective)
            self._judged = effective
        spec = msgspec.structs.replace(
            spec, queue=effective.queue, app=effective.app, project=effective.project or None
        )
        job = _new_job(spec, job_id=job_id, actor=actor, effective=effective, at=self.now, host=self.command.host)
        revived = self._gate(job, spec, actor)
        event = ev.JobSubmitted(at=self.now, job=job, spec=SPEC_ENCODER.encode(spec), revived=revived)
        return event, _answer(job_id, effective)

    def _check_queue(self, name: str) -> None:
        closed = self.state.queue_admin(name).closed
        if closed is not None:  # for everyone: whoever closed it can open it
            raise Refused(
                f"queue `{name}` is closed{_because(closed)}",
                code="queue_closed",
                hints=["list the open queues with `xcecli queues`"],
            )

    def _sizing(self, effective: Effective) -> Sizing:
        if not isinstance(effective.resreq, Simple):
            raise XceError("compound and alternative requirements are not supported yet", code="not_supported_yet")
        if effective.resreq.span is not None or effective.resreq.same:
            raise XceError("`span` and `same` are not supported yet", code="not_supported_yet")
        return sizing_of(effective, self.merges.shared)

    def _check_feasible(self, sizing: Sizing, effective: Effective) -> None:
        """Refuse what no host, and no pool, could ever give; a cluster without hosts refuses nothing."""
        tasks = sizing.tasks.min
        totals = shared_totals(self.state.config)
        for name, amount in sorted(sizing.shared(tasks).items()):
            if amount > totals.get(name, 0):
                raise _never(name, amount, totals.get(name, 0), "in the cluster")
        allowed = queue_hosts(self.state.config, self.state.config.queues[effective.queue])
        hosts = [h for h in self.state.hosts.values() if h.slots and (allowed is None or h.name in allowed)]
        if not hosts:
            return
        capacities = [capacity(self.state, host) for host in hosts]
        asked = sizing.on_first_host(tasks)
        if any(all(total.get(name, 0) >= amount for name, amount in asked.items()) for total in capacities):
            return
        for name, amount in sorted(asked.items()):
            largest = max(total.get(name, 0) for total in capacities)
            if amount > largest:
                raise _never(name, amount, largest, "on the largest host")
        wanted = ", ".join(f"{name}={amount}" for name, amount in sorted(asked.items()))
        raise XceError(f"no host has all of {wanted} at once", code="never_fits")

    def _gate(self, job: Job, spec: JobSpec, actor: Actor) -> tuple[Job, ...]:
        """Put the new job's elements where its dependency has them; returns the finished jobs to revive."""
        indexes = IndexSet.from_array(spec.array) if spec.array is not None else IndexSet.single(0)
        if spec.hold:
            job.hold = Note(by=actor.user, at=self.now, why="")
        if spec.depends is None:
            _place(job, indexes, "held" if spec.hold else "waiting")
            return ()
        condition = depends.resolve_names(depends.parse(spec.depends), self._resolver(actor))
        job.depends = depends.to_text(condition)
        for other in depends.job_ids(condition):
            if other not in self.state.jobs and other not in self.known:
                raise XceError(
                    f"job `{other}` of the dependency `{spec.depends}` does not exist",
                    code="unknown_dependency",
                    hints=["list your jobs with `xcecli jobs` and `xcecli history`"],
                )
        verdict: Verdict = verdicts(condition, indexes, known_outcome(self.state, self.known))
        if verdict.never:
            raise XceError(
                f"the dependency `{job.depends}` can no longer be met",
                code="dependency_never",
                hints=["`xcecli job ID` shows how the other job ended"],
            )
        if spec.hold:
            _place(job, indexes, "held")
        else:
            _place(job, verdict.met, "waiting")
            _place(job, verdict.open, "gated")
        job.is_awaiting = bool(job.gated or job.held)
        wanted = depends.job_ids(condition)
        return tuple(self.known[other] for other in sorted(wanted) if other in self.known)

    def _resolver(self, actor: Actor) -> Callable[[str], int]:
        def newest(name: str) -> int:
            mine: Mapping[int, Job] = {**self.known, **self.state.jobs}
            ids = [job.id for job in mine.values() if job.name == name and job.needs.user == actor.user]
            if not ids:
                names = {job.name for job in mine.values() if job.name and job.needs.user == actor.user}
                raise XceError(
                    f"you have no job named `{name}`",
                    code="unknown_dependency",
                    hints=did_you_mean(name, names),
                )
            return max(ids)

        return newest


def _place(job: Job, indexes: IndexSet, where: str) -> None:
    if indexes:
        setattr(job, where, indexes)


def _never(name: str, asked: int, most: int, where: str) -> XceError:
    return XceError(
        f"`{name}`: {asked} asked, at most {most} {where}",
        code="never_fits",
        hints=[f"ask for at most {most}"] if most else [f"nothing offers `{name}`; see `xcecli hosts`"],
    )


def _because(note: Note) -> str:
    return f" (by {note.by}: {note.why})" if note.why else f" (by {note.by})"


def _new_job(spec: JobSpec, *, job_id: int, actor: Actor, effective: Effective, at: float, host: str) -> Job:
    needs = Needs(
        user=actor.user,
        queue=effective.queue,
        app=effective.app,
        project=effective.project,
        priority=spec.priority,
        tasks=spec.tasks,
        launch=spec.launch,
        resreq=spec.resreq,
        limits=tuple(sorted(spec.exdata.limits.items())),
    )
    return Job(
        id=job_id,
        needs=needs,
        uid=actor.uid,
        gid=actor.gid,
        name=spec.name,
        size=element_count(spec),
        is_array=spec.array is not None,
        array_limit=spec.array.limit if spec.array is not None else 0,
        submitted_at=at,
        submit_host=host,
        begin=spec.begin,
        on_dependency_failure=spec.on_dependency_failure,
        ends=_end_rules(spec),
        labels=dict(spec.labels) or None,
    )


def _end_rules(spec: JobSpec) -> EndRules:
    if not (spec.rerunnable or spec.requeue_exit_codes or spec.success_exit_codes):
        return PLAIN_ENDS
    return EndRules(
        rerunnable=spec.rerunnable,
        requeue_exit_codes=spec.requeue_exit_codes,
        max_requeue=spec.max_requeue,
        success_exit_codes=spec.success_exit_codes,
    )


def _answer(job_id: int, effective: Effective) -> Submitted:
    def texts(findings: tuple[Finding, ...]) -> tuple[str, ...]:
        return tuple(finding.message for finding in findings)

    return Submitted(job_id=job_id, warnings=texts(effective.warnings), notes=texts(effective.notes))


__all__ = ["Merges", "Own", "element_count", "submit"]
