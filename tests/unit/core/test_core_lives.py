"""The life of a job, command by command: what each state answers to each of them."""

import msgspec
import pytest

from tests.kit.builders import ANN, BOB, ROOT, Cluster, a_hello, some
from xcelib.config.canonical import content_hash, to_bytes
from xcelib.config.model import Param, Profile, empty
from xcelib.errors import NotPermitted, Refused, XceError
from xcelib.jobspec import ArraySpec
from xcelib.merge import Rejection
from xcelib.states import State
from xceserver.core import commands as cmd
from xceserver.core.effects import StartAttempt, Tell
from xceserver.core.view import JobGone, JobSet, job_set
from xceserver.peer import AttemptKey, Declined, EndAck, Ended, Fence, KnownAttempt, Resumed, Signal, Started, Suspended


def kill(job_id: int, **fields: object) -> cmd.Kill:
    return cmd.Kill(actor=ANN, selections=(cmd.Selection(job_id),), **fields)  # type: ignore[arg-type]


def test_a_job_is_done_when_its_command_ends_with_0() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.run(job_id)
    job = cluster.state.jobs[job_id]
    assert job.is_final
    assert job.done == some(0)
    assert cluster.state.used["h1"]["slots"] == 0


def test_a_job_exits_when_its_command_ends_with_another_code() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.run(job_id, exit_code=3)
    assert cluster.state.jobs[job_id].exited == {0: 3}


def test_a_success_code_counts_as_done() -> None:
    cluster = Cluster()
    job_id = cluster.submit(success_exit_codes=(3,))
    cluster.run(job_id, exit_code=3)
    assert cluster.state.jobs[job_id].done == some(0)


def test_a_requeue_code_queues_the_job_again_as_often_as_it_may() -> None:
    cluster = Cluster()
    job_id = cluster.submit(requeue_exit_codes=(3,), max_requeue=1)
    cluster.run(job_id, exit_code=3)
    assert cluster.state.jobs[job_id].waiting == some(0)
    cluster.run(job_id, exit_code=3)
    assert cluster.state.jobs[job_id].exited == {0: 3}


def test_attempt_numbers_are_never_used_again_after_a_decline() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    key = cluster.start(job_id)
    cluster.do(cmd.WorkerReports("h1", (Declined(key, "no"),)))
    assert cluster.start(job_id) == AttemptKey(job_id, 0, 2)


def test_a_late_end_of_an_old_attempt_changes_nothing_and_is_acknowledged() -> None:
    cluster = Cluster()
    job_id = cluster.submit(rerunnable=True)
    old = cluster.start(job_id)
    cluster.do(cmd.HostLeaseExpired("h1"))
    cluster.do(cmd.HostGraceExpired("h1"))
    cluster.do(cmd.HostJoins(a_hello()))
    new = cluster.start(job_id)
    before = len(cluster.events)
    cluster.end(old, exit_code=9)
    assert len(cluster.events) == before
    assert cluster.effects == [Tell("h1", EndAck((old,)))]
    assert cluster.state.element(new) is not None


def test_an_end_reported_twice_in_one_batch_counts_once() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    ended = Ended(key=key, exit_code=0, ended_at=1.0)
    cluster.do(cmd.WorkerReports("h1", (ended, ended)))
    assert [type(event).__name__ for event in cluster.events].count("AttemptEnded") == 1


def test_another_hosts_report_on_an_attempt_is_refused() -> None:
    cluster = Cluster(hosts=2)
    key = cluster.start(cluster.submit(), host="h1")
    cluster.do(cmd.WorkerReports("h2", (Ended(key=key, exit_code=0, ended_at=1.0),)))
    assert cluster.state.element(key) is not None


def test_a_pending_job_ends_at_once_when_it_is_killed() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    report = cluster.do(kill(job_id, why="wrong input"))
    job = cluster.state.jobs[job_id]
    assert report.done == (str(job_id),)
    assert job.is_final
    assert job.cancel is not None
    assert job.cancel[1].why == "wrong input"


def test_a_running_job_that_is_killed_runs_until_its_end_is_reported() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(kill(key.job_id))
    element = cluster.state.element(key)
    assert element is not None
    assert element.wish is not None
    cluster.end(key, exit_code=None, signal=15, reason="TERM_OWNER")
    assert cluster.state.jobs[key.job_id].exited == {0: -15}


def test_kill_names_what_it_refuses() -> None:
    cluster = Cluster()
    mine = cluster.submit()
    command = cmd.Kill(actor=BOB, selections=(cmd.Selection(mine), cmd.Selection(999)))
    report = cluster.do(command)
    assert [(refusal.job, refusal.code) for refusal in report.refused] == [
        (str(mine), "not_permitted"),
        ("999", "already_ended"),
    ]
    assert cluster.state.jobs[mine].waiting == some(0)


def test_an_operator_may_kill_anyones_job() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.Kill(actor=ROOT, selections=(cmd.Selection(job_id),)))
    assert cluster.state.jobs[job_id].cancel is not None


def test_elements_of_an_array_can_be_killed_alone() -> None:
    cluster = Cluster()
    job_id = cluster.submit(array=ArraySpec(ranges=((1, 5, 1),)))
    cluster.do(cmd.Kill(actor=ANN, selections=(cmd.Selection(job_id, some(2, 4)),)))
    job = cluster.state.jobs[job_id]
    assert job.waiting == some(1, 3, 5)
    assert job.cancelled == some(2, 4)


def test_force_ends_the_record_of_a_job_on_a_lost_host() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.HostLeaseExpired("h1"))
    cluster.do(kill(key.job_id, is_force=True))
    assert cluster.state.jobs[key.job_id].is_final


def test_a_stopped_pending_job_is_held_and_waits_again_when_resumed() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.Stop(actor=ANN, selections=(cmd.Selection(job_id),), why="later"))
    assert cluster.state.jobs[job_id].held == some(0)
    cluster.do(cmd.Resume(actor=ANN, selections=(cmd.Selection(job_id),)))
    assert cluster.state.jobs[job_id].waiting == some(0)


def test_the_owner_cannot_release_what_an_operator_holds() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.Stop(actor=ROOT, selections=(cmd.Selection(job_id),)))
    report = cluster.do(cmd.Resume(actor=ANN, selections=(cmd.Selection(job_id),)))
    assert report.refused[0].code == "not_permitted"


def test_a_requeued_job_waits_again_after_its_end() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.Requeue(actor=ANN, selections=(cmd.Selection(key.job_id),)))
    cluster.end(key, exit_code=None, signal=15, reason="TERM_REQUEUE")
    assert cluster.state.jobs[key.job_id].waiting == some(0)


def test_a_job_on_a_lost_host_is_not_requeued_unless_it_may_run_twice() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.HostLeaseExpired("h1"))
    report = cluster.do(cmd.Requeue(actor=ANN, selections=(cmd.Selection(key.job_id),)))
    assert report.refused[0].code == "host_lost"


@pytest.mark.parametrize(("rerunnable", "is_waiting"), [(True, True), (False, False)])
def test_after_the_grace_only_what_may_run_twice_waits_again(rerunnable: bool, is_waiting: bool) -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit(rerunnable=rerunnable))
    cluster.do(cmd.HostLeaseExpired("h1"))
    element = cluster.state.element(key)
    assert element is not None
    assert element.state == State.UNKWN
    cluster.do(cmd.HostGraceExpired("h1"))
    assert bool(cluster.state.jobs[key.job_id].waiting) == is_waiting


def test_a_host_that_returns_has_its_jobs_running_again() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.started(key)
    cluster.do(cmd.HostLeaseExpired("h1"))
    cluster.do(cmd.HostJoins(a_hello(attempts=(KnownAttempt(key, "running"),))))
    element = cluster.state.element(key)
    assert element is not None
    assert element.state == State.RUN
    assert cluster.effects == []


def test_an_attempt_that_the_worker_never_heard_of_is_sent_again() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.HostJoins(a_hello()))
    assert cluster.effects == [StartAttempt("h1", key)]


def test_a_started_attempt_that_the_worker_forgot_has_ended() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.started(key)
    cluster.do(cmd.HostJoins(a_hello()))
    assert cluster.state.jobs[key.job_id].is_final


def test_what_the_worker_has_and_the_controller_has_not_is_fenced() -> None:
    cluster = Cluster()
    stale = AttemptKey(99, 0, 1)
    cluster.do(cmd.HostJoins(a_hello(attempts=(KnownAttempt(stale, "running"),))))
    assert cluster.effects == [Tell("h1", Fence((stale,)))]


def test_a_kill_that_got_lost_with_the_link_is_sent_again_at_the_hello() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(kill(key.job_id))
    cluster.do(cmd.HostJoins(a_hello(attempts=(KnownAttempt(key, "running"),))))
    assert [
        effect.message.action
        for effect in cluster.effects
        if isinstance(effect, Tell) and isinstance(effect.message, Signal)
    ] == ["kill"]


def test_a_resume_that_got_lost_with_the_link_is_sent_again_at_the_hello() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    selection = (cmd.Selection(key.job_id),)
    cluster.do(cmd.Stop(actor=ANN, selections=selection))
    cluster.do(cmd.Resume(actor=ANN, selections=selection))
    cluster.do(cmd.HostJoins(a_hello(attempts=(KnownAttempt(key, "suspended"),))))
    assert Tell("h1", Signal(key=key, action="resume")) in cluster.effects


def test_a_start_reported_twice_is_noted_once() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.WorkerReports("h1", (Started(key, 5, 1.0), Started(key, 6, 2.0))))
    element = cluster.state.element(key)
    assert element is not None
    assert element.run is not None
    assert element.run.pid == 5


def test_a_suspension_and_its_end_in_one_batch_leave_the_job_running() -> None:
    cluster = Cluster()
    key = cluster.start(cluster.submit())
    cluster.do(cmd.WorkerReports("h1", (Suspended(key, 1.0), Resumed(key, 2.0))))
    element = cluster.state.element(key)
    assert element is not None
    assert element.state == State.RUN


# --- dependencies ---------------------------------------------------------------------------------------------------


def test_a_dependent_waits_until_the_other_is_done() -> None:
    cluster = Cluster()
    first = cluster.submit()
    second = cluster.submit(depends=f"done({first})")
    assert cluster.state.jobs[second].gated == some(0)
    cluster.run(first)
    assert cluster.state.jobs[second].waiting == some(0)


@pytest.mark.parametrize(("policy", "where"), [("cancel", "cancelled"), ("hold", "held"), ("run", "waiting")])
def test_a_dependency_that_can_no_longer_hold_follows_the_policy(policy: str, where: str) -> None:
    cluster = Cluster()
    first = cluster.submit()
    second = cluster.submit(depends=f"done({first})", on_dependency_failure=policy)
    cluster.run(first, exit_code=1)
    assert getattr(cluster.state.jobs[second], where) == some(0)


def test_a_cancelled_dependency_cancels_the_whole_chain() -> None:
    cluster = Cluster()
    first = cluster.submit()
    second = cluster.submit(depends=f"done({first})")
    third = cluster.submit(depends=f"done({second})")
    cluster.do(kill(first))
    job = cluster.state.jobs[third]
    assert job.is_final
    assert job.cancel is not None
    assert job.cancel[0] == "TERM_DEPENDENCY"


def test_arrays_can_wait_for_each_other_element_by_element() -> None:
    cluster = Cluster()
    array = ArraySpec(ranges=((1, 3, 1),))
    first = cluster.submit(array=array)
    second = cluster.submit(array=array, depends=f"done({first}[*])")
    key = cluster.start(first, count=2)
    assert key.index == 2
    cluster.end(key)
    job = cluster.state.jobs[second]
    assert job.waiting == some(2)
    assert job.gated == some(1, 3)


def test_a_dependent_that_was_held_and_resumed_is_judged_again() -> None:
    cluster = Cluster()
    first = cluster.submit()
    second = cluster.submit(depends=f"ended({first})")
    cluster.do(cmd.Stop(actor=ANN, selections=(cmd.Selection(second),)))
    cluster.run(first, exit_code=1)
    cluster.do(cmd.Resume(actor=ANN, selections=(cmd.Selection(second),)))
    assert cluster.state.jobs[second].waiting == some(0)


def test_an_unknown_dependency_is_refused_at_submit() -> None:
    with pytest.raises(XceError, match="`77` of the dependency"):
        Cluster().submit(depends="done(77)")


def test_a_dependency_by_name_means_the_newest_own_job() -> None:
    cluster = Cluster()
    cluster.submit(name="prep")
    newest = cluster.submit(name="prep")
    cluster.submit(name="prep", actor=BOB)
    job_id = cluster.submit(depends='done("prep")')
    assert cluster.state.jobs[job_id].depends == f"done({newest})"


# --- configuration that changes under a pending job -----------------------------------------------------------------


def apply(cluster: Cluster, **fields: object) -> None:
    config = msgspec.structs.replace(cluster.state.config, **fields)
    document = to_bytes(config)
    cluster.do(cmd.ApplyConfig(actor=ROOT, document=document, config=config, hash=content_hash(config)))


def a_profile(*params: Param) -> dict[str, Profile]:
    return {**empty().applications, "fluent": Profile(name="fluent", params=params)}


def test_a_job_that_its_profile_now_refuses_waits_for_another_configuration() -> None:
    cluster = Cluster()
    apply(cluster, applications=a_profile())
    job_id = cluster.submit(app="fluent")
    apply(cluster, applications=a_profile(Param(name="case", required=True)))
    key = cluster.start(job_id)
    cluster.do(cmd.RefuseStart(key, "param `case` is required"))
    job = cluster.state.jobs[job_id]
    assert job.waiting == some(0)
    assert isinstance(job_set(cluster.state, job), JobGone)
    apply(cluster, applications=a_profile())
    assert isinstance(job_set(cluster.state, job), JobSet)


def test_a_job_whose_profile_is_gone_is_not_started_and_says_so() -> None:
    cluster = Cluster()
    apply(cluster, applications=a_profile())
    job_id = cluster.submit(app="fluent")
    apply(cluster, applications=empty().applications)
    with pytest.raises(AssertionError, match="nothing"):
        cluster.start(job_id)
    refusal = cluster.rules.sizings.of(cluster.state.jobs[job_id].needs)
    assert isinstance(refusal, Rejection)
    assert "fluent" in refusal.message


def test_apply_expects_the_live_hash_when_told_to() -> None:
    cluster = Cluster()
    config = cluster.state.config
    command = cmd.ApplyConfig(actor=ROOT, document=to_bytes(config), config=config, hash="x", expect="sha256:other")
    with pytest.raises(Refused, match="sha256:other"):
        cluster.do(command)


def test_only_an_admin_applies_a_configuration() -> None:
    cluster = Cluster()
    config = cluster.state.config
    with pytest.raises(NotPermitted, match="`ann`"):
        cluster.do(cmd.ApplyConfig(actor=ANN, document=to_bytes(config), config=config, hash="x"))


# --- admission and administration -------------------------------------------------------------------------------------


def test_a_plan_never_fills_a_host_beyond_its_slots() -> None:
    cluster = Cluster(slots=2)
    job_id = cluster.submit(array=ArraySpec(ranges=((1, 5, 1),)))
    cluster.start(job_id, count=5)
    assert cluster.state.used["h1"]["slots"] == 2


def test_a_plan_for_a_closed_host_is_dropped() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.SetHost(actor=ROOT, host="h1", state="drained", why="memory"))
    with pytest.raises(AssertionError, match="nothing"):
        cluster.start(job_id)


def test_a_plan_for_an_inactive_queue_is_dropped() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.SetQueue(actor=ROOT, queue="normal", action="inactivate"))
    with pytest.raises(AssertionError, match="nothing"):
        cluster.start(job_id)


def test_the_array_limit_binds_the_admission_too() -> None:
    cluster = Cluster()
    job_id = cluster.submit(array=ArraySpec(ranges=((1, 4, 1),), limit=2))
    cluster.start(job_id, count=4)
    assert cluster.state.jobs[job_id].on_host_count == 2


def test_a_closed_queue_refuses_users_and_names_who_closed_it() -> None:
    cluster = Cluster()
    cluster.do(cmd.SetQueue(actor=ROOT, queue="normal", action="close", why="maintenance"))
    with pytest.raises(Refused, match="closed \\(by root: maintenance\\)"):
        cluster.submit()


def test_a_user_may_not_drain_a_host() -> None:
    with pytest.raises(NotPermitted, match="`ann` may not"):
        Cluster().do(cmd.SetHost(actor=ANN, host="h1", state="drained"))


def test_what_no_host_can_ever_give_is_refused_with_the_most_there_is() -> None:
    with pytest.raises(XceError, match="`slots`: 5 asked, at most 4"):
        Cluster(slots=4).submit(resreq="rusage[slots=5]")
