"""From a start_info to processes to be: the attempt's folder is filled, paths and variables are worked out."""

import os
from typing import NamedTuple

import msgspec

from xcelib.errors import XceError
from xcelib.placeholders import expand
from xceserver.peer import StartInfo
from xceserver.worker import environment, folder
from xceserver.worker.accounts import account_of
from xceserver.worker.durable import write_all
from xceserver.worker.failure import StartFailed
from xceserver.worker.limits import KNOWN, rlimits
from xceserver.worker.local import Account, OutputFiles
from xceserver.worker.output import Pump
from xceserver.worker.task import Streams, Task


class Site(NamedTuple):
    """Where a supervisor works: this host's name, the attempt's folder, and how much output is kept.

    `own`: the worker's own account, looked up once for all attempts; its name is empty where it has none.
    """

    host: str
    own: Account
    one_host_file: str
    path: str
    folder: int
    output_max: int


class Prepared(NamedTuple):
    tasks: list[Task]
    pump: Pump | None  # where output is kept


def prepare(info: StartInfo, site: Site) -> Prepared:
    """Decide and lay out everything that does not need the user's rights. Raises `StartFailed`."""
    unknown = sorted(info.limits.keys() - KNOWN)
    if unknown:
        raise StartFailed(f"limit `{unknown[0]}` cannot be enforced on this host")
    account = site.own if (site.own.uid, site.own.name) == (info.uid, info.user) else account_of(info)
    out, err = _own_path(info.stdout, info), _own_path(info.stderr, info)
    stdin = _own_path(info.stdin, info) or os.devnull
    _lay_out(info, site, account)
    if out or err:
        _tell_files(site, OutputFiles(account, out or "", err or out or ""))
    pump = None if out else Pump(site.folder, folder.OUT, cap=site.output_max)
    streams = Streams(stdin, out or _writer(pump), err)
    return Prepared(_tasks(info, site, account, streams), pump)


def clear(info: StartInfo, site: Site) -> None:
    """Remove what only the job's processes needed; all of them have ended."""
    folder.remove_tree(site.folder, folder.PRIVATE)
    if info.script is not None:
        folder.remove_tree(site.folder, folder.SCRIPT)
    if not _has_one_task_here(info, site):
        folder.remove_tree(site.folder, folder.HOST_FILE)


def _has_one_task_here(info: StartInfo, site: Site) -> bool:
    """The usual job: its host file is the same for all, and lies in the spool."""
    return info.hosts == ((site.host, 1),)


def _writer(pump: Pump | None) -> int:
    assert pump is not None, "standard output has no path, so it is kept"
    return pump.writer


def _own_path(pattern: str | None, info: StartInfo) -> str | None:
    """A path of the job's, absolute and expanded; relative ones begin at its working directory."""
    if not pattern:
        return None
    first_host = info.hosts[0][0]
    try:
        path = expand(
            pattern,
            job_id=info.key.job_id,
            index=info.key.index,
            name=info.name,
            host=first_host,
            user=info.user,
        )
    except XceError as error:
        raise StartFailed(error.message) from error
    return os.path.join(info.cwd, path)


def _lay_out(info: StartInfo, site: Site, account: Account) -> None:
    try:
        os.mkdir(folder.PRIVATE, 0o700, dir_fd=site.folder)
        if not account.is_own:
            os.chown(folder.PRIVATE, account.uid, account.gid, dir_fd=site.folder, follow_symlinks=False)
        if not _has_one_task_here(info, site):
            _write(site, folder.HOST_FILE, environment.host_file_text(info), mode=0o644)
        if info.script is not None:
            _write(site, folder.SCRIPT, info.script, mode=0o700, owner=account)
    except OSError as error:
        raise StartFailed(f"the attempt's folder `{site.path}` cannot be filled: {error.strerror}") from error


def _write(site: Site, name: str, text: str, *, mode: int, owner: Account | None = None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(name, flags, mode, dir_fd=site.folder)
    try:
        os.fchmod(fd, mode)  # the umask is the daemon's, not the file's
        write_all(fd, text.encode("utf-8", "surrogateescape"))
        if owner is not None and not owner.is_own:
            os.fchown(fd, owner.uid, owner.gid)
    finally:
        os.close(fd)


def _tell_files(site: Site, files: OutputFiles) -> None:
    _write(site, folder.FILES, msgspec.json.encode(files).decode(), mode=0o600)


def _tasks(info: StartInfo, site: Site, account: Account, streams: Streams) -> list[Task]:
    place = environment.place_of(
        info,
        site.host,
        private_folder=f"{site.path}/{folder.PRIVATE}",
        host_file=site.one_host_file if _has_one_task_here(info, site) else f"{site.path}/{folder.HOST_FILE}",
        cookie=folder.cookie_of(site.folder, info.key),
    )
    env = environment.job_environment(info, account, place)
    argv = info.argv if info.script is None else (f"{site.path}/{folder.SCRIPT}", *info.argv)
    bounds = rlimits(info.limits, kill_grace_s=info.kill_grace_s)
    count = place.task_count if info.launch == "tasks" else 1
    return [
        Task(
            argv=argv,
            env=env | environment.task_variables(info, place, number),
            cwd=info.cwd,
            umask=info.umask,
            rlimits=bounds,
            account=account,
            streams=streams,
        )
        for number in range(count)
    ]
