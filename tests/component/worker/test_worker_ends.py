"""How commands end, what they see, and where their output goes."""

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.component.worker.site import HOST, Site
from tests.kit.waiting import wait_for
from xcelib.states import EndReason
from xceserver.peer import Declined, Ended, Start, Started

PRINT_ENVIRONMENT = "env -0"


def output(site: Site, end: Ended) -> str:
    return site.controller.read(end.key).data.decode()


@pytest.mark.parametrize("code", [0, 3, 255])
def test_the_exit_code_is_the_commands_when_it_exits(site: Site, code: int) -> None:
    end = site.controller.run(site.shell(f"exit {code}"))
    assert (end.exit_code, end.signal, end.reason) == (code, 0, EndReason.NONE)
    assert end.started_at is not None
    assert end.started_at <= end.ended_at


def test_the_start_is_reported_once_and_before_the_end(site: Site) -> None:
    end = site.controller.run(site.shell("exit 0"))
    (started,) = site.controller.heard(Started, end.key)
    assert started.pid > 0
    assert started.at == end.started_at


@pytest.mark.parametrize("name", ["SEGV", "KILL", "TERM"])
def test_the_end_names_the_signal_when_the_command_gets_one(site: Site, name: str) -> None:
    end = site.controller.run(site.shell(f"kill -{name} $$"))
    assert (end.exit_code, end.signal, end.reason) == (None, signal.Signals[f"SIG{name}"], EndReason.SIGNAL)
    assert f"SIG{name}" in end.text


def test_the_exit_code_is_127_when_the_command_does_not_exist(site: Site) -> None:
    end = site.controller.run(site.job("no-such-command", "x"))
    assert (end.exit_code, end.signal) == (127, 0)
    assert "`no-such-command`" in end.text


def test_the_exit_code_is_126_when_the_command_cannot_be_executed(site: Site) -> None:
    plain = site.work / "plain"
    plain.write_text("no program")
    end = site.controller.run(site.job(str(plain)))
    assert (end.exit_code, end.signal) == (126, 0)
    assert str(plain) in end.text


@pytest.mark.parametrize(
    "field", [{"cwd": "/no/such/folder"}, {"cwd": "/dev/null"}, {"stdin": "/no/such/file"}, {"stdout": "/dev/null/x"}]
)
def test_the_end_names_the_path_when_it_cannot_be_used(site: Site, field: dict[str, Any]) -> None:
    end = site.controller.run(site.job("true", **field))
    (path,) = field.values()
    assert (end.exit_code, end.signal, end.reason) == (None, 0, EndReason.START_FAILED)
    assert path in end.text
    assert end.started_at is None


def test_a_limit_that_cannot_be_set_is_refused_with_its_name(site: Site) -> None:
    end = site.controller.run(site.job("true", limits={"open_files": 1 << 40}))
    assert end.reason == EndReason.START_FAILED
    assert "open_files" in end.text


def test_a_script_gets_its_arguments(site: Site) -> None:
    end = site.controller.run(site.job("a b", "c", script='#!/bin/sh\nprintf "%s|" "$@"\nexit 4\n'))
    assert (end.exit_code, output(site, end)) == (4, "a b|c|")


def test_a_script_without_a_first_line_is_the_shells(site: Site) -> None:
    end = site.controller.run(site.job(script="echo $((40 + 2))\n"))
    assert (end.exit_code, output(site, end)) == (0, "42\n")


def test_the_end_names_the_missing_interpreter_of_a_script(site: Site) -> None:
    end = site.controller.run(site.job(script="#!/no/such/interpreter\n"))
    assert end.exit_code in (126, 127)
    assert "interpreter" in end.text


def environment(site: Site, **fields: object) -> dict[str, str]:
    end = site.controller.run(site.shell(PRINT_ENVIRONMENT, **fields))
    return dict(entry.split("=", 1) for entry in output(site, end).split("\0") if entry)


def test_the_profiles_environment_binds_and_nothing_of_the_workers_is_seen(site: Site) -> None:
    found = environment(
        site,
        job_env={"A": "job", "B": "job", "HOME": "/h"},
        profile_env={"B": "profile", "C": "profile"},
        xce_env={"XCE_QUEUE": "night"},
    )
    assert (found["A"], found["B"], found["C"]) == ("job", "profile", "profile")
    assert (found["HOME"], found["XCE_QUEUE"]) == ("/h", "night")
    assert {"USER", "LOGNAME", "SHELL", "PATH"} <= found.keys()
    assert not {"SECRET", "PYTHONPATH"} & found.keys()


def test_the_variables_of_an_array_element_name_it(site: Site) -> None:
    found = environment(site, index=7, attempt=2, name="sweep", hosts=((HOST, 3),), tasks=3)
    expected = {
        "XCE_JOB_INDEX": "7", "XCE_ATTEMPT": "2", "XCE_JOB_NAME": "sweep", "XCE_NTASKS": "3", "XCE_NHOSTS": "1",
        "XCE_HOSTS": HOST, "XCE_HOST_NTASKS": "3",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert found["XCE_JOB_ID"].isdigit()


def test_the_private_folder_exists_during_the_job_and_not_after_it(site: Site) -> None:
    end = site.controller.run(
        site.shell('touch "$XCE_JOB_DIR/x" && touch "$XCE_JOB_HOST_DIR/y" && echo "$XCE_JOB_HOST_DIR"')
    )
    assert end.exit_code == 0
    private = Path(output(site, end).strip())
    wait_for("the private folder to go", private.exists, lambda exists: not exists)


def test_a_job_that_digs_deep_in_its_private_folder_ends_like_any_other(site: Site) -> None:
    text = "import os\nos.chdir(os.environ['XCE_JOB_DIR'])\nfor n in range(3000): os.mkdir('d'); os.chdir('d')"
    end = site.controller.run(site.python(text), limit_s=20.0)
    assert (end.exit_code, end.reason) == (0, EndReason.NONE), end.text
    wait_for("an empty spool", lambda: (site.spool / str(end.key)).exists(), lambda exists: not exists)
    assert site.controller.run(site.job("true")).exit_code == 0


def test_each_task_has_its_index_and_a_failing_one_fails_the_job(site: Site) -> None:
    text = "echo $XCE_TASK_INDEX.$XCE_HOST_TASK_INDEX; exit $((XCE_TASK_INDEX * 5))"
    end = site.controller.run(site.shell(text, launch="tasks", tasks=2, hosts=((HOST, 2),)))
    assert end.exit_code == 5
    assert sorted(output(site, end).split()) == ["0.0", "1.1"]


def test_umask_and_directory_are_the_jobs(site: Site) -> None:
    end = site.controller.run(site.shell("umask; pwd", umask=0o027, cwd=str(site.work)))
    assert output(site, end).split() == ["0027", str(site.work)]


def test_output_goes_to_the_expanded_path_and_its_parents_are_made(site: Site) -> None:
    end = site.controller.run(site.shell("echo out; echo err >&2", index=3, stdout="new/%J/%I.%N.txt"))
    path = site.work / "new" / str(end.key.job_id) / "3.a job.txt"
    assert end.exit_code == 0, end.text
    assert path.read_text() == "out\nerr\n"
    assert output(site, end) == "out\nerr\n"
    assert site.controller.read(end.key, "err").data == b"out\nerr\n"


def test_errors_go_to_their_own_file_when_one_is_named(site: Site) -> None:
    end = site.controller.run(site.shell("echo out; echo err >&2", stdout="o", stderr="e"))
    assert ((site.work / "o").read_text(), (site.work / "e").read_text()) == ("out\n", "err\n")
    assert site.controller.read(end.key, "err").data == b"err\n"


def test_output_is_appended_when_the_file_exists(site: Site) -> None:
    (site.work / "o").write_text("before\n")
    site.controller.run(site.shell("echo after", stdout="o"))
    assert (site.work / "o").read_text() == "before\nafter\n"


def test_input_is_empty_unless_a_file_is_named(site: Site) -> None:
    (site.work / "i").write_text("given")
    assert output(site, site.controller.run(site.shell("cat"))) == ""
    assert output(site, site.controller.run(site.shell("cat", stdin="i"))) == "given"


def test_a_pipe_that_nobody_reads_does_not_hold_the_job(site: Site) -> None:
    end = site.controller.run(site.shell("mkfifo p"))
    assert end.exit_code == 0
    end = site.controller.run(site.shell("echo x", stdout="p"))
    assert end.reason == EndReason.START_FAILED
    assert "`p`" in end.text or str(site.work / "p") in end.text


def test_kept_output_is_read_from_an_offset_and_from_the_end(site: Site) -> None:
    end = site.controller.run(site.shell("printf 0123456789; printf E >&2"))
    assert output(site, end) == "0123456789E"
    chunk = site.controller.read(end.key, offset=4, limit=3)
    assert (chunk.offset, chunk.data, chunk.size) == (4, b"456", 11)
    assert site.controller.read(end.key, offset=-3).data == b"89E"
    assert site.controller.read(end.key, offset=99).data == b""


def test_kept_output_is_cut_and_marked_once_when_it_is_too_long(site: Site) -> None:
    end = site.controller.run(site.shell("head -c 101000000 /dev/zero; echo more"), limit_s=60.0)
    assert end.exit_code == 0
    tail = site.controller.read(end.key, offset=-1000)
    assert 100_000_000 <= tail.size < 100_001_000
    assert tail.data.count(b"[xce: ") == 1


def test_output_is_readable_while_the_job_runs(site: Site) -> None:
    info = site.shell("echo early; exec tail -f /dev/null")
    site.controller.tell(Start(info))
    wait_for("early output", lambda: site.controller.read(info.key).data, lambda found: found == b"early\n")
    site.controller.kill(info.key, "force")
    site.controller.end_of(info.key)


def test_usage_is_reported_with_the_end(site: Site) -> None:
    text = "import time\nx = bytearray(60_000_000)\nwhile time.process_time() < 0.4: pass"
    end = site.controller.run(site.python(text))
    assert 0.3 < end.usage.cpu_s < 2.0
    assert 60_000_000 < end.usage.max_rss < 200_000_000
    assert end.usage.wall_s >= 0.3


def test_a_start_is_ignored_when_the_attempt_is_known(site: Site) -> None:
    info = site.shell("echo once >> starts; exec tail -f /dev/null")
    site.controller.tell(Start(info), Start(info))
    site.controller.wait(Started, info.key)
    starts = site.work / "starts"
    wait_for("its word", lambda: starts.read_text() if starts.exists() else "", bool)
    site.controller.tell(Start(info))
    site.controller.kill(info.key)
    site.controller.end_of(info.key)
    assert starts.read_text() == "once\n"
    assert site.controller.heard(Declined) == []


def test_nothing_of_a_job_is_left_in_the_spool_when_it_kept_no_output(site: Site) -> None:
    end = site.controller.run(site.job("true"))
    wait_for("an empty spool", lambda: list(site.spool.rglob(str(end.key))), lambda found: not found)


def test_a_job_that_closes_its_output_ends_by_its_pid(site: Site) -> None:
    end = site.controller.run(site.shell("exec >&- 2>&- <&-; exit 9"))
    assert end.exit_code == 9


def test_many_jobs_end_each_with_its_own_code(site: Site) -> None:
    infos = [site.shell(f"exit {code}") for code in range(60)]
    site.controller.tell(*(Start(info) for info in infos))
    ends = [site.controller.end_of(info.key, limit_s=30.0).exit_code for info in infos]
    assert ends == list(range(60))
