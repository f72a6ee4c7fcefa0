"""The environment of a job's tasks: the job's own, then the profile's (it binds), then `XCE_*`. Pure."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from xceserver.peer import StartInfo
from xceserver.worker.folder import COOKIE
from xceserver.worker.local import Account

DEFAULT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"

# What XCE says about one job. A job submitted from within another carries the other's: they are dropped.
JOB_VARIABLES: Final = frozenset(
    {
        "XCE_JOB_ID",
        "XCE_JOB_INDEX",
        "XCE_ARRAY_SIZE",
        "XCE_JOB_NAME",
        "XCE_JOB_USER",
        "XCE_QUEUE",
        "XCE_APP",
        "XCE_PROJECT",
        "XCE_ATTEMPT",
        "XCE_SUBMIT_HOST",
        "XCE_SUBMIT_DIR",
        "XCE_JOB_DIR",
        "XCE_JOB_HOST_DIR",
        "XCE_NTASKS",
        "XCE_NHOSTS",
        "XCE_HOSTS",
        "XCE_HOSTFILE",
        "XCE_TASK_INDEX",
        "XCE_HOST_NTASKS",
        "XCE_HOST_TASK_INDEX",
        COOKIE,
    }
)
_FOREIGN_PREFIXES: Final = ("XCE_APP_PARAM_", "XCE_APP_ANN_")


class Place(NamedTuple):
    """Where an attempt runs on this host: its share of the tasks, and the paths that its job is told."""

    first_task: int
    task_count: int
    private_folder: str
    host_file: str
    cookie: str


def job_environment(info: StartInfo, account: Account, place: Place) -> dict[str, str]:
    """What all tasks of the attempt on this host have in common."""
    return {
        "PATH": DEFAULT_PATH,
        "HOME": account.home,
        "USER": account.name,
        "LOGNAME": account.name,
        "SHELL": account.shell,
        **own_variables(info.job_env),
        **info.profile_env,
        **info.xce_env,
        "XCE_JOB_ID": str(info.key.job_id),
        "XCE_JOB_INDEX": str(info.key.index),
        "XCE_JOB_NAME": info.name,
        "XCE_JOB_USER": info.user,
        "XCE_ATTEMPT": str(info.key.attempt),
        "XCE_JOB_DIR": place.private_folder,
        "XCE_JOB_HOST_DIR": place.private_folder,
        "XCE_NTASKS": str(info.tasks),
        "XCE_NHOSTS": str(len(info.hosts)),
        "XCE_HOSTS": " ".join(host for host, _ in info.hosts),
        "XCE_HOSTFILE": place.host_file,
        "XCE_HOST_NTASKS": str(place.task_count),
        COOKIE: place.cookie,
    }


def own_variables(job_env: Mapping[str, str]) -> dict[str, str]:
    """The submitter's variables without those by which another job was told about itself."""
    return {
        name: value
        for name, value in job_env.items()
        if name not in JOB_VARIABLES and not name.startswith(_FOREIGN_PREFIXES)
    }


def task_variables(info: StartInfo, place: Place, number: int) -> dict[str, str]:
    """What only task `number` (from 0 on this host) is told; nothing where one script runs for all tasks."""
    if info.launch == "script":
        return {}
    return {"XCE_TASK_INDEX": str(place.first_task + number), "XCE_HOST_TASK_INDEX": str(number)}


def host_file_text(info: StartInfo) -> str:
    """One line a task, the host's name, in the order of the tasks."""
    return "".join(f"{host}\n" * tasks for host, tasks in info.hosts)


def place_of(info: StartInfo, host: str, *, private_folder: str, host_file: str, cookie: str) -> Place:
    """The place of `host` in the attempt; the host is one of the attempt's."""
    position = [name for name, _ in info.hosts].index(host)
    first_task = sum(tasks for _, tasks in info.hosts[:position])
    return Place(first_task, info.hosts[position][1], private_folder, host_file, cookie)
