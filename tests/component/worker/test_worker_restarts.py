"""The worker's processes die, the link breaks, the host reboots: each attempt still has one end, the true one."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.component.worker.site import Site, parent_of, state_of
from tests.kit.mounts import new_boot_id, with_boot_id
from tests.kit.waiting import wait_for
from xcelib.states import EndReason
from xceserver.peer import AttemptKey, Declined, EndAck, Ended, Fence, Heartbeat, Start, Started, StartInfo, WorkerHello

HELD = "while [ ! -e go ]; do sleep 0.02; done; echo end >> ends; exit 5"


def held(site: Site, **fields: object) -> StartInfo:
    """A job that is started and runs until `go` exists; then it exits 5."""
    info = site.shell(HELD, **fields)
    site.controller.tell(Start(info))
    site.controller.wait(Started, info.key)
    return info


def release(site: Site) -> None:
    (site.work / "go").touch()


def supervisor_of(site: Site, info: StartInfo) -> int:
    (started, *_) = site.controller.heard(Started, info.key)
    return wait_for("the supervisor", lambda: parent_of(started.pid), bool)


def known(hello: WorkerHello) -> dict[AttemptKey, str]:
    return {attempt.key: attempt.state for attempt in hello.attempts}


def one_end(site: Site, info: StartInfo) -> Ended:
    """The attempt's end; the command ran once, to its end."""
    end = site.controller.end_of(info.key)
    assert (site.work / "ends").read_text() == "end\n"
    assert {(each.exit_code, each.reason) for each in site.controller.heard(Ended, info.key)} == {
        (end.exit_code, end.reason)
    }
    return end


def test_a_running_job_is_adopted_when_the_agent_was_killed(site: Site) -> None:
    info = held(site)
    site.kill_agent()
    assert known(site.start_worker()) == {info.key: "running"}
    release(site)
    assert one_end(site, info).exit_code == 5


def test_an_adopted_job_can_be_stopped_and_killed(site: Site) -> None:
    info = held(site)
    site.kill_agent()
    site.start_worker()
    site.controller.kill(info.key, "stop")
    site.wait_for_stop(info.key)
    site.kill_agent()
    assert known(site.start_worker()) == {info.key: "suspended"}
    site.controller.kill(info.key)
    assert site.controller.end_of(info.key).reason == EndReason.OWNER


def test_the_end_is_reported_when_it_came_while_the_agent_was_away(site: Site) -> None:
    info = held(site)
    watcher = supervisor_of(site, info)
    site.kill_agent()
    release(site)
    wait_for("the supervisor's exit", lambda: state_of(watcher), lambda state: state in "XZ", limit_s=20.0)
    assert known(site.start_worker()) == {info.key: "ended"}
    assert one_end(site, info).exit_code == 5


def test_the_end_is_reported_again_until_it_is_acknowledged(site: Site) -> None:
    site.controller.acknowledges = False
    end = site.controller.run(site.shell("exit 5"))
    site.kill_agent()
    assert known(site.start_worker()) == {end.key: "ended"}
    assert site.controller.wait(Ended, end.key, count=2).exit_code == 5
    site.controller.drop_links()
    assert site.controller.wait(Ended, end.key, count=3).exit_code == 5
    site.controller.tell(EndAck((end.key,)))
    wait_for("an empty hello", lambda: restarted(site), lambda found: found == {})


def restarted(site: Site) -> dict[AttemptKey, str]:
    site.stop_worker()
    return known(site.start_worker())


def test_a_job_lives_on_when_the_worker_is_stopped(site: Site) -> None:
    info = held(site)
    assert site.stop_worker() == 0
    assert site.of_job(info.key)
    site.start_worker()
    release(site)
    assert one_end(site, info).exit_code == 5


def test_a_dead_supervisor_is_told_and_its_processes_are_ended(site: Site) -> None:
    info = held(site)
    os.kill(supervisor_of(site, info), signal.SIGKILL)
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.signal, end.reason) == (None, 0, EndReason.SIGNAL)
    assert "supervisor" in end.text
    assert site.of_job(info.key) == []


def test_a_dead_supervisor_is_told_when_the_agent_was_killed_too(site: Site) -> None:
    info = held(site)
    watcher = supervisor_of(site, info)
    site.kill_agent()
    os.kill(watcher, signal.SIGKILL)
    site.start_worker()
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.reason) == (None, EndReason.SIGNAL)
    assert site.of_job(info.key) == []


def test_a_dead_supervisor_of_an_adopted_job_is_noticed(site: Site) -> None:
    info = held(site)
    watcher = supervisor_of(site, info)
    site.kill_agent()
    site.start_worker()
    os.kill(watcher, signal.SIGKILL)
    assert site.controller.end_of(info.key).reason == EndReason.SIGNAL


def test_jobs_start_and_end_when_the_launcher_was_killed(site: Site) -> None:
    info = held(site)
    old = site.launcher()
    os.kill(old, signal.SIGKILL)
    assert site.controller.run(site.shell("exit 4"), limit_s=20.0).exit_code == 4
    assert site.launcher() != old
    release(site)
    assert one_end(site, info).exit_code == 5


def test_every_start_has_one_end_when_the_launcher_is_killed_amid_them(site: Site) -> None:
    infos = [site.shell(f"echo {number} >> starts") for number in range(40)]
    site.controller.tell(*(Start(info) for info in infos[:20]))
    os.kill(site.launcher(), signal.SIGKILL)
    site.controller.tell(*(Start(info) for info in infos[20:]))
    wait_for("an end of each", lambda: endless(site, infos), lambda left: left == [], limit_s=20.0)
    starts = (site.work / "starts").read_text().split()
    assert len(starts) == len(set(starts))
    assert len(starts) == sum(end.exit_code == 0 for end in site.controller.heard(Ended))


def endless(site: Site, infos: list[StartInfo]) -> list[StartInfo]:
    """Those that have neither ended nor been declined."""
    return [info for info in infos if not ends(site, info)]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_starts_twice_when_the_agent_is_killed_amid_starts(site: Site, seed: int) -> None:
    rng = random.Random(seed)
    infos = [site.shell(f"echo {number} >> starts") for number in range(30)]
    site.controller.tell(*(Start(info) for info in infos))
    moment = time.monotonic() + rng.uniform(0.0, 0.1)
    wait_for("a moment", time.monotonic, lambda now: now > moment)
    site.kill_agent()
    hello = site.start_worker()
    site.controller.tell(*(Start(info) for info in infos if info.key not in known(hello) and not ends(site, info)))
    wait_for("an end of each", lambda: endless(site, infos), lambda left: left == [], limit_s=20.0)
    starts = (site.work / "starts").read_text().split()
    assert len(starts) == len(set(starts))


def ends(site: Site, info: StartInfo) -> list[Ended | Declined]:
    return [*site.controller.heard(Ended, info.key), *site.controller.heard(Declined, info.key)]


def test_all_processes_are_killed_and_each_attempt_has_its_end(site: Site) -> None:
    info = held(site)
    watcher, launcher = supervisor_of(site, info), site.launcher()
    jobs = site.of_job(info.key)
    site.kill_agent()
    for pid in (launcher, watcher, *jobs):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # the launcher ends with its agent, the command with its supervisor
    site.start_worker()
    end = site.controller.end_of(info.key)
    assert (end.exit_code, end.reason) == (None, EndReason.SIGNAL)


def test_the_link_is_opened_again_when_it_broke(site: Site) -> None:
    info = held(site)
    site.controller.close()
    release(site)
    ended = site.work / "ends"
    wait_for("the job's end", ended.exists, bool)
    site.controller.open()
    assert one_end(site, info).exit_code == 5


def test_heartbeats_come_while_nothing_else_does(tmp_path: Path) -> None:
    with Site(tmp_path / "host", lease_s=0.6) as site:
        site.start_worker()
        info = held(site)
        site.controller.wait(Heartbeat, count=10, limit_s=6.0)
        release(site)
        assert one_end(site, info).exit_code == 5


def test_a_fenced_attempt_ends_and_is_never_reported(site: Site) -> None:
    info = held(site)
    site.controller.tell(Fence((info.key,)))
    wait_for("the end of its processes", lambda: site.of_job(info.key), lambda pids: not pids)
    wait_for("a forgotten attempt", lambda: restarted(site), lambda found: found == {})
    assert ends(site, info) == []


def test_the_worker_kills_its_attempts_when_it_is_cut_off_for_long(tmp_path: Path) -> None:
    with Site(tmp_path / "host", lease_s=0.6, rerun_fence_s=1.5) as site:
        site.start_worker()
        info = held(site, kill_grace_s=0.2)
        site.controller.close()
        cut_off_at = time.monotonic()
        wait_for("the end of its processes", lambda: site.of_job(info.key), lambda pids: not pids)
        assert time.monotonic() - cut_off_at > 0.9
        site.controller.open()
        assert site.controller.end_of(info.key).reason == EndReason.HOST_LOST


@pytest.mark.needs("root")
def test_a_running_job_is_lost_when_the_host_restarted(tmp_path: Path) -> None:
    with Site(tmp_path / "host") as site:
        site.start_worker()
        info = held(site)
        watcher = supervisor_of(site, info)
        site.kill_agent()
        for pid in (watcher, *site.of_job(info.key)):
            os.kill(pid, signal.SIGKILL)
        site.prefix = with_boot_id([], boot_id=new_boot_id(tmp_path, rng=random.Random(1)))
        site.start_worker()
        end = site.controller.end_of(info.key)
        assert (end.exit_code, end.reason) == (None, EndReason.HOST_LOST)
        assert "restarted" in end.text


def test_jobs_run_below_a_path_that_no_socket_address_could_hold(tmp_path: Path) -> None:
    with Site(tmp_path / "host", spool=tmp_path / ("long" * 40) / ("path" * 40)) as site:
        site.start_worker()
        info = held(site)
        site.controller.kill(info.key, "stop")
        site.wait_for_stop(info.key)
        site.controller.kill(info.key, "resume")
        release(site)
        assert one_end(site, info).exit_code == 5


def damage_end(site: Site, info: StartInfo) -> None:
    path = site.spool / str(info.key) / "end"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


def empty_end(site: Site, info: StartInfo) -> None:
    (site.spool / str(info.key) / "end").write_bytes(b"")


def zero_end(site: Site, info: StartInfo) -> None:
    path = site.spool / str(info.key) / "end"
    path.write_bytes(bytes(len(path.read_bytes())))


@pytest.mark.parametrize("damage", [damage_end, empty_end, zero_end])
def test_a_damaged_record_harms_its_own_job_only(site: Site, damage: Callable[[Site, StartInfo], None]) -> None:
    infos = [held(site), held(site)]
    watchers = [supervisor_of(site, info) for info in infos]
    site.kill_agent()
    release(site)
    wait_for("exits", lambda: {state_of(pid) for pid in watchers}, lambda states: states <= {"X", "Z"}, limit_s=20.0)
    damage(site, infos[0])
    site.start_worker()
    assert site.controller.end_of(infos[1].key).exit_code == 5
    bad = site.controller.end_of(infos[0].key)
    assert (bad.exit_code, bad.reason) == (None, EndReason.SIGNAL)
    assert list((site.spool / "lost+found").iterdir())
    assert str(infos[0].key) in site.log.read_text()
