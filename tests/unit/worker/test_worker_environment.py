from typing import Any

from xceserver.peer import AttemptKey, StartInfo
from xceserver.worker.environment import host_file_text, job_environment, own_variables, place_of, task_variables
from xceserver.worker.folder import COOKIE
from xceserver.worker.local import Account

ACCOUNT = Account("ann", 1000, 1000, (), "/home/ann", "/bin/zsh", is_own=False)


def an_info(**fields: Any) -> StartInfo:
    plain: dict[str, Any] = {
        "key": AttemptKey(12, 3, 2),
        "name": "my job",
        "user": "ann",
        "uid": 1000,
        "gid": 1000,
        "argv": ("true",),
        "cwd": "/",
        "tasks": 5,
        "hosts": (("a", 2), ("b", 3)),
        "launch": "tasks",
    }
    return StartInfo(**plain | fields)


def environment(info: StartInfo) -> dict[str, str]:
    place = place_of(info, "b", private_folder="/s/dir", host_file="/s/hosts", cookie="c")
    return job_environment(info, ACCOUNT, place)


def test_a_job_is_told_who_and_where_it_is() -> None:
    env = environment(an_info())
    assert env == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/home/ann",
        "USER": "ann",
        "LOGNAME": "ann",
        "SHELL": "/bin/zsh",
        "XCE_JOB_ID": "12",
        "XCE_JOB_INDEX": "3",
        "XCE_JOB_NAME": "my job",
        "XCE_JOB_USER": "ann",
        "XCE_ATTEMPT": "2",
        "XCE_JOB_DIR": "/s/dir",
        "XCE_JOB_HOST_DIR": "/s/dir",
        "XCE_NTASKS": "5",
        "XCE_NHOSTS": "2",
        "XCE_HOSTS": "a b",
        "XCE_HOSTFILE": "/s/hosts",
        "XCE_HOST_NTASKS": "3",
        COOKIE: "c",
    }


def test_later_layers_bind() -> None:
    env = environment(
        an_info(
            job_env={"A": "job", "B": "job", "HOME": "/tmp", "XCE_QUEUE": "outer"},
            profile_env={"B": "profile", "XCE_JOB_ID": "profile"},
            xce_env={"XCE_QUEUE": "normal", "XCE_JOB_ID": "controller"},
        )
    )
    assert (env["A"], env["B"], env["HOME"]) == ("job", "profile", "/tmp")
    assert (env["XCE_QUEUE"], env["XCE_JOB_ID"]) == ("normal", "12")


def test_what_another_job_was_told_is_not_handed_on() -> None:
    job_env = {"XCE_ARRAY_SIZE": "9", "XCE_TASK_INDEX": "1", "XCE_APP_PARAM_X": "y", "XCE_SERVER": "s", COOKIE: "z"}
    assert own_variables(job_env) == {"XCE_SERVER": "s"}


def test_tasks_count_over_all_hosts() -> None:
    info = an_info()
    place = place_of(info, "b", private_folder="", host_file="", cookie="")
    assert task_variables(info, place, 1) == {"XCE_TASK_INDEX": "3", "XCE_HOST_TASK_INDEX": "1"}


def test_one_script_for_all_tasks_is_no_task() -> None:
    info = an_info(launch="script")
    place = place_of(info, "a", private_folder="", host_file="", cookie="")
    assert task_variables(info, place, 0) == {}


def test_the_host_file_has_a_line_a_task() -> None:
    assert host_file_text(an_info()) == "a\na\nb\nb\nb\n"
