"""From a stored spec and the live configuration to all that a worker needs."""

from typing import Any

import msgspec

from xcelib.jobspec import JobSpec
from xcelib.merge import Effective, Rejection, merge_job, own_of
from xceserver.core.records import Element, Job
from xceserver.core.state import ClusterState
from xceserver.peer import AttemptKey, StartInfo

SPEC_DECODER = msgspec.msgpack.Decoder(JobSpec)
DEFAULT_CWD = "/"


def variable_name(prefix: str, name: str) -> str:
    """`XCE_APP_PARAM_` and a name: upper case, everything outside `A-Z0-9` becomes `_` (10-config)."""
    return prefix + "".join(c if c.isascii() and c.isalnum() else "_" for c in name.upper())


def start_info(state: ClusterState, job: Job, element: Element, raw_spec: bytes) -> StartInfo | Rejection:
    """The start_info of the element's current attempt, or why the live configuration no longer allows the job."""
    run = element.run
    assert run is not None
    spec = SPEC_DECODER.decode(raw_spec)
    effective = merge_job(own_of(spec, job.needs.user), state.config)
    if isinstance(effective, Rejection):
        return effective
    assert effective.launch in ("script", "tasks"), "other ways to launch are refused at submit"
    return StartInfo(
        key=AttemptKey(job.id, element.index, run.attempt),
        name=job.name,
        user=job.needs.user,
        uid=job.uid,
        gid=job.gid,
        argv=spec.command,
        script=spec.script,
        cwd=spec.cwd or DEFAULT_CWD,
        umask=spec.umask,
        stdin=spec.stdin,
        stdout=spec.stdout,
        stderr=spec.stderr,
        launch=effective.launch,
        tasks=run.task_count,
        hosts=tuple((placement.host, placement.tasks) for placement in run.placements),
        job_env=effective.job_env,
        profile_env=effective.profile_env,
        xce_env=_xce_env(job, effective, spec),
        limits=effective.limits,
        is_rerunnable=spec.rerunnable,
        kill_grace_s=state.config.timers.kill_grace_s,
        profile=effective.app,
        profile_hash=effective.profile_hash,
        generation=state.generation.number,
    )


def _xce_env(job: Job, effective: Effective, spec: JobSpec) -> dict[str, str]:
    facts: dict[str, Any] = {
        "XCE_QUEUE": effective.queue,
        "XCE_APP": effective.app,
        "XCE_PROJECT": effective.project,
        "XCE_SUBMIT_HOST": job.submit_host,
        "XCE_SUBMIT_DIR": spec.cwd,
    }
    if job.is_array:
        facts["XCE_ARRAY_SIZE"] = job.size
    env = {name: str(value) for name, value in facts.items() if value}
    env |= {variable_name("XCE_APP_PARAM_", name): value for name, value in effective.app_params.items()}
    env |= {variable_name("XCE_APP_ANN_", name): value for name, value in effective.annotations.items()}
    return env
