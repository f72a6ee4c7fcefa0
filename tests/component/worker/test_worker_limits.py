"""Limits that end a job, and signals that people send."""

import time

import pytest

from tests.component.worker.site import Site
from tests.kit.waiting import wait_for
from xcelib.states import EndReason
from xceserver.peer import Declined, Ended, Resumed, Start, Started, StartInfo, Suspended

BUSY = "while :; do :; done"
WAITING = "exec tail -f /dev/null"
DEAF = "trap '' TERM; echo ready; while :; do tail -f /dev/null; done"
POLITE = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"
GRACE_S = 0.5


def ready(site: Site, text: str, **fields: object) -> StartInfo:
    """Start a shell and wait until it has set its traps, of which it tells."""
    info = site.shell(text, **fields)
    site.controller.tell(Start(info))
    site.controller.wait(Started, info.key)
    wait_for("the job's word", lambda: site.controller.read(info.key).data, lambda said: said.startswith(b"ready"))
    return info


def test_the_run_limit_ends_the_job_politely(site: Site) -> None:
    end = site.controller.run(site.shell(POLITE, limits={"run_time": 1}))
    assert (end.exit_code, end.signal, end.reason) == (7, 0, EndReason.RUNLIMIT)
    assert end.started_at is not None
    assert 0.95 < end.ended_at - end.started_at < 2.0
    assert "1 s" in end.text


def test_the_run_limit_kills_what_ignores_it(site: Site) -> None:
    end = site.controller.run(site.shell(DEAF, limits={"run_time": 1}, kill_grace_s=GRACE_S))
    assert (end.exit_code, end.signal, end.reason) == (None, 9, EndReason.RUNLIMIT)
    assert end.started_at is not None
    assert 1.4 < end.ended_at - end.started_at < 3.0
    assert site.of_job(end.key) == []


def test_a_job_that_ends_before_its_run_limit_keeps_its_own_end(site: Site) -> None:
    end = site.controller.run(site.shell("exit 3", limits={"run_time": 1}))
    assert (end.exit_code, end.reason) == (3, EndReason.NONE)


def test_the_cpu_limit_counts_all_processes_of_the_job(site: Site) -> None:
    """The command itself idles, and none of its children reaches the limit alone before all do together."""
    text = f"({BUSY}) & ({BUSY}) & ({BUSY}) & wait"
    end = site.controller.run(site.shell(text, limits={"cpu_time": 2}, kill_grace_s=GRACE_S), limit_s=30.0)
    assert end.reason == EndReason.CPULIMIT
    assert 1.9 < end.usage.cpu_s < 5.5


def test_the_memory_limit_ends_the_job(site: Site) -> None:
    text = "x = bytearray(200_000_000)\nimport signal\nsignal.pause()"
    end = site.controller.run(site.python(text, limits={"memory": 100_000_000}, kill_grace_s=GRACE_S), limit_s=15.0)
    assert end.reason == EndReason.MEMLIMIT
    assert end.usage.max_rss > 100_000_000
    assert "100000000" in end.text


def test_the_memory_limit_counts_the_tasks_of_the_host(site: Site) -> None:
    text = "x = bytearray(150_000_000)\nimport time\ntime.sleep(2.5)"
    fields = {"hosts": (("hosta", 2),), "tasks": 2, "limits": {"memory": 100_000_000}}
    end = site.controller.run(site.python(text, **fields), limit_s=15.0)
    assert (end.exit_code, end.reason) == (0, EndReason.NONE)


@pytest.mark.parametrize(
    ("limit", "option", "value", "shown"), [("open_files", "n", 99, "99"), ("core_size", "c", 0, "0")]
)
def test_a_limit_per_process_is_seen_by_the_job(site: Site, limit: str, option: str, value: int, shown: str) -> None:
    end = site.controller.run(site.shell(f"ulimit -{option}", limits={limit: value}))
    assert site.controller.read(end.key).data.decode().strip() == shown


def test_a_kill_is_polite_and_names_who_asked(site: Site) -> None:
    info = ready(site, POLITE)
    site.controller.kill(info.key, reason="TERM_ADMIN")
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.reason) == (7, EndReason.ADMIN)


def test_a_kill_ends_in_force_when_it_is_ignored(site: Site) -> None:
    info = ready(site, DEAF, kill_grace_s=GRACE_S)
    asked_at = time.monotonic()
    site.controller.kill(info.key)
    end = site.controller.end_of(info.key)
    assert time.monotonic() - asked_at >= GRACE_S
    assert (end.exit_code, end.signal, end.reason) == (None, 9, EndReason.OWNER)


def test_force_does_not_wait_for_the_grace(site: Site) -> None:
    info = ready(site, DEAF, kill_grace_s=60.0)
    site.controller.kill(info.key)
    site.controller.kill(info.key, "force")
    end = site.controller.end_of(info.key, limit_s=5.0)
    assert (end.signal, end.reason) == (9, EndReason.OWNER)


def test_a_kill_right_behind_the_start_is_not_lost(site: Site) -> None:
    """It ends, or it was never started and is declined: the controller knows who wished for the end."""
    info = site.shell(WAITING)
    site.controller.tell(Start(info))
    site.controller.kill(info.key)
    answers = wait_for("an answer", lambda: answered(site, info), bool)
    assert all(isinstance(answer, Declined) or answer.reason == EndReason.OWNER for answer in answers)
    assert site.of_job(info.key) == []


def answered(site: Site, info: StartInfo) -> list[Ended | Declined]:
    return [*site.controller.heard(Ended, info.key), *site.controller.heard(Declined, info.key)]


@pytest.mark.parametrize("delay_ms", [1, 3, 5, 8, 12])
def test_a_kill_in_the_first_moments_needs_no_grace(site: Site, delay_ms: int) -> None:
    info = site.shell(WAITING, kill_grace_s=60.0)
    site.controller.tell(Start(info))
    end_at = time.monotonic() + delay_ms / 1000
    wait_for("a moment", time.monotonic, lambda now: now > end_at)
    site.controller.kill(info.key)
    wait_for("an answer", lambda: answered(site, info), bool, limit_s=10.0)
    assert site.of_job(info.key) == []


def test_suspended_time_does_not_count_for_the_run_limit(site: Site) -> None:
    info = ready(site, POLITE, limits={"run_time": 2})
    site.controller.kill(info.key, "stop")
    site.controller.wait(Suspended, info.key)
    site.wait_for_stop(info.key)
    stopped_at = time.monotonic()
    wait_for("longer than the limit", time.monotonic, lambda now: now > stopped_at + 2.5)
    site.controller.kill(info.key, "resume")
    site.controller.wait(Resumed, info.key)
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.reason) == (7, EndReason.RUNLIMIT)
    assert end.started_at is not None
    assert 4.4 < end.ended_at - end.started_at < 5.6


def test_a_stopped_job_can_be_killed(site: Site) -> None:
    info = ready(site, POLITE)
    site.controller.kill(info.key, "stop")
    site.controller.wait(Suspended, info.key)
    site.controller.kill(info.key)
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.reason) == (7, EndReason.OWNER)


def test_a_repeated_stop_and_resume_change_nothing_more(site: Site) -> None:
    info = ready(site, POLITE)
    for _ in range(2):
        site.controller.kill(info.key, "stop")
        site.controller.wait(Suspended, info.key)
        site.controller.kill(info.key, "stop")
        site.controller.kill(info.key, "resume")
        site.controller.wait(Resumed, info.key)
    site.controller.kill(info.key)
    assert site.controller.end_of(info.key).exit_code == 7


def test_a_signal_for_an_unknown_attempt_does_no_harm(site: Site) -> None:
    ended = site.controller.run(site.job("true"))
    for action in ("kill", "force", "stop", "resume"):
        site.controller.kill(ended.key, action)
    assert site.controller.run(site.job("true")).exit_code == 0
