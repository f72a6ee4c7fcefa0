import subprocess
from pathlib import Path

from tests.kit.oracle import Element, Mark, marked, read_marks

XCE = {"PATH": "/usr/bin:/bin", "XCE_JOB_ID": "7", "XCE_JOB_INDEX": "3", "XCE_ATTEMPT": "2"}


def test_a_job_marks_its_start_and_end_and_exits_like_its_command(tmp_path: Path) -> None:
    oracle = tmp_path / "oracle"
    done = subprocess.run(marked(["sh", "-c", "exit 5"], oracle=oracle), env=XCE, check=False)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    host = Path("/proc/sys/kernel/hostname").read_text(encoding="utf-8").strip()
    assert done.returncode == 5
    assert read_marks(oracle) == [
        Mark(Element(7, 3), 2, host, boot, "start"),
        Mark(Element(7, 3), 2, host, boot, "end"),
    ]


def test_a_job_marks_no_end_when_it_is_killed(tmp_path: Path) -> None:
    oracle = tmp_path / "oracle"
    command = marked(["sh", "-c", "kill -9 $PPID"], oracle=oracle)
    assert subprocess.run(command, env=XCE, check=False).returncode == -9
    assert [mark.what for mark in read_marks(oracle)] == ["start"]


def test_no_mark_is_lost_or_mixed_when_many_jobs_write_at_once(tmp_path: Path) -> None:
    oracle = tmp_path / "oracle"
    environments = [XCE | {"XCE_JOB_ID": str(job_id)} for job_id in range(40)]
    jobs = [subprocess.Popen(marked(["true"], oracle=oracle), env=environment) for environment in environments]
    assert [job.wait() for job in jobs] == [0] * 40
    marks = read_marks(oracle)
    assert sorted((mark.element.job_id, mark.what) for mark in marks) == sorted(
        (job_id, what) for job_id in range(40) for what in ("start", "end")
    )


def test_there_are_no_marks_when_no_job_has_run(tmp_path: Path) -> None:
    assert read_marks(tmp_path / "oracle") == []
