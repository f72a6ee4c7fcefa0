"""What only real daemons on a real folder show of a cluster: locks, identities of requests, a full disk, bad input."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.daemons import Daemons, a_cluster
from tests.kit.waiting import wait_for
from xcelib.errors import StorageFull
from xcelib.wire import ActionRequest, JobSelection

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def cluster() -> Iterator[Daemons]:
    with a_cluster() as daemons:
        yield daemons


def post(cluster: Daemons, path: str, body: bytes, key: str = "") -> tuple[int, dict[str, object]]:
    return cluster.ask("POST", path, body, {"Idempotency-Key": key} if key else {})


def test_a_second_up_on_the_same_folder_refuses_and_names_the_first(cluster: Daemons) -> None:
    done = subprocess.run(cluster.argv("up"), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"(pid {cluster.pids()['up']})" in done.stderr


def test_a_second_controller_on_the_same_folder_refuses(cluster: Daemons) -> None:
    done = subprocess.run(cluster.argv("controller"), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "a controller already runs" in done.stderr


def test_a_retry_after_a_lost_reply_makes_no_second_job(cluster: Daemons) -> None:
    body = json.dumps({"command": ["true"], "cwd": "/", "hold": True}).encode()
    first = post(cluster, "/jobs", body, "key-1")
    assert post(cluster, "/jobs", body, "key-1") == first
    cluster.kill("controller")
    assert post(cluster, "/jobs", body, "key-1") == first
    status, problem = post(cluster, "/jobs", body.replace(b"true", b"false"), "key-1")
    assert (status, problem["code"]) == (409, "idempotency_conflict")


def test_a_repeated_kill_gets_the_first_answer(cluster: Daemons) -> None:
    job_id = cluster.submit("true", hold=True).job_id
    body = json.dumps({"jobs": [{"id": job_id}]}).encode()
    first = post(cluster, "/jobs/kill", body, "key-kill")
    assert first[1]["done"] == [str(job_id)]
    assert post(cluster, "/jobs/kill", body, "key-kill") == first


@pytest.mark.parametrize(
    ("body", "status", "code", "word"),
    [
        (b"{", 400, "bad_json", "JSON"),
        (b'{"command": ["true"], "cwd": "/", "quue": 1}', 400, "unknown_field", "quue"),
        (b'{"command": ["true"], "cwd": "/", "priority": NaN}', 400, "bad_json", "JSON"),
        (b'{"command": ["true"], "cwd": "/", "priority": 1e999}', 400, "bad_field", "priority"),
        (b'{"command": ["true"], "cwd": "/", "priority": ' + b"9" * 5000 + b"}", 400, "", ""),
        (b'{"command": ["true"], "cwd": "/", "exdata": {"meta": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}}", 400, "", "deep"),
        (b'{"command": ["true"], "cwd": "/", "name": "\\u001b[2J"}', 400, "bad_name", "control"),
        (b'{"command": ["true"], "cwd": "/", "name": "\\ud800"}', 400, "", ""),
        (b'{"command": ["true"], "cwd": "here"}', 400, "bad_path", "here"),
        (b'{"command": ["true"], "cwd": "/", "queue": "nigth"}', 400, "unknown_queue", "nigth"),
        (b'{"command": ["true"], "cwd": "/", "app": "none"}', 400, "unknown_profile", "none"),
        (b'{"command": ["true"], "cwd": "/", "exdata": {"tags": []}}', 400, "unknown_field", "tags"),
        (b'{"command": [], "cwd": "/"}', 400, "no_command", "command"),
        (b'{"command": ["true"], "cwd": "/", "resreq": "mem > 4096"}', 400, "size_without_unit", "4096M"),
        (b'{"command": ["true"], "cwd": "/", "resreq": "rusage[slots=999]"}', 400, "never_fits", "999"),
        (b'{"command": ["true"], "cwd": "/", "stdout": "%q"}', 400, "bad_placeholder", "%q"),
        (b"\xff\xfe", 400, "bad_json", "JSON"),
        (b" " * (5 << 20), 413, "too_large", "larger"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_words(cluster: Daemons, body: bytes, status: int, code: str, word: str) -> None:
    answered, problem = post(cluster, "/jobs", body)
    assert answered == status
    assert not code or problem["code"] == code
    assert word in json.dumps(problem)


@pytest.mark.parametrize(
    ("command", "fields", "exit_code", "reason", "word"),
    [
        (["no-such-command"], {}, 127, "", "not found"),
        (["/etc/passwd"], {}, 126, "", "/etc/passwd"),
        (["true"], {"cwd": "/no/such/folder"}, None, "TERM_START_FAILED", "/no/such/folder"),
        (["true"], {"stdout": "/proc/version/out"}, None, "TERM_START_FAILED", "/proc/version/out"),
        (["sh", "-c", "kill -9 $$"], {}, None, "TERM_SIGNAL", ""),
        (["sleep", "60"], {"exdata": {"limits": {"run_time": 1}}}, None, "TERM_RUNLIMIT", "run limit"),
    ],
)
def test_every_end_tells_its_reason(
    cluster: Daemons, command: list[str], fields: dict[str, object], exit_code: int | None, reason: str, word: str
) -> None:
    body = json.dumps({"command": command, "cwd": "/", **fields}).encode()
    job_id = post(cluster, "/jobs", body)[1]["job_id"]
    wait_for("the end", lambda: cluster.ask("GET", f"/jobs/{job_id}/wait?timeout=5")[1]["ended_at"], bool, limit_s=20)
    (attempt,) = cluster.ask("GET", f"/jobs/{job_id}")[1]["attempts"]
    assert attempt["exit_code"] == exit_code
    assert attempt["end_reason"] in (reason, "")
    assert word in attempt["text"]


def test_a_closed_host_is_the_reason_and_opening_it_starts_the_job(cluster: Daemons) -> None:
    client = cluster.client()
    host = client.hosts().hosts[0].name
    client.set_host(host, "close", "new memory")
    job_id = cluster.submit("true", client=client).job_id
    report = wait_for("a reason", lambda: client.why(job_id), lambda report: report.reasons[0].code == "no_host_fits")
    assert report.reasons[0].hosts == {"closed or drained by an administrator": 1}
    cluster.kill("controller")
    (row,) = cluster.client().hosts().hosts
    assert (row.admin, row.note.why if row.note else "") == ("closed", "new memory")
    cluster.client().set_host(host, "open", "")
    assert (
        wait_for("the end", lambda: client.wait(job_id, seconds=5), lambda row: row.ended_at is not None).state
        == "DONE"
    )


@pytest.mark.needs("root")
def test_a_full_disk_refuses_new_work_keeps_the_rest_and_heals(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "state").mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(top / "state")], check=True)
    try:
        with Daemons(top) as daemons:
            daemons.configure()
            daemons.up()
            client = daemons.client()
            running = daemons.submit("sleep", "600", client=client)
            wait_for("it to run", lambda: client.job(running.job_id).row.state, lambda state: state == "RUN")
            ballast = top / "state" / "ballast"
            with ballast.open("wb") as file:
                file.write(b"\0" * (58 << 20))
            wait_for("the refusal", lambda: _is_refused(daemons), bool, limit_s=10)
            report = client.act("kill", ActionRequest(jobs=(JobSelection(id=running.job_id),)))
            assert report.done == (str(running.job_id),)
            wait_for("its end", lambda: client.wait(running.job_id, seconds=5), lambda row: row.ended_at is not None)
            ballast.unlink()
            wait_for("space to be seen", lambda: not _is_refused(daemons), bool, limit_s=10)
    finally:
        subprocess.run(["umount", "--lazy", str(top / "state")], check=True)


def _is_refused(daemons: Daemons) -> bool:
    body = json.dumps({"command": ["true"], "cwd": "/", "hold": True}).encode()
    return post(daemons, "/jobs", body)[0] == StorageFull.http_status
