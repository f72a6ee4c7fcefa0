"""The one process that forks supervisors: small, single-threaded, everything loaded before the first fork.

It makes and locks each attempt's folder before it forks, so once it is gone, folder and lock together tell which
attempts were started and which live. It ends when its agent's end of the socket closes, after what is queued.
It is a subreaper: what a dead supervisor leaves behind becomes its child, and is killed.
"""

import ctypes
import fcntl
import gc
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Final, NoReturn

import msgspec

from xceserver.peer import AttemptKey, StartInfo
from xceserver.worker import descendants, folder, reader
from xceserver.worker.accounts import own_account
from xceserver.worker.launch_options import AGENT_FD, LOCK_FILE, LauncherOptions
from xceserver.worker.local import (
    HEAD,
    TO_LAUNCHER,
    Forked,
    FromLauncher,
    Gone,
    Launch,
    NotForked,
    ReadAs,
    framed,
)
from xceserver.worker.log import log
from xceserver.worker.mailbox import Mailbox
from xceserver.worker.preparation import Site
from xceserver.worker.rehearsal import rehearse
from xceserver.worker.single import assert_single_threaded
from xceserver.worker.supervisor import Supervisor
from xceserver.worker.wakeup import Wakeup, take_note

_IGNORED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PR_SET_CHILD_SUBREAPER: Final = 36
_OTHER_USERS_MAY_PASS: Final = 0o711  # a job's script lies in a folder of root's
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class Launcher:
    """Reads what the agent wants, forks, reaps."""

    def __init__(self, options: LauncherOptions, agent: socket.socket, lock: int) -> None:
        self._options = options
        self._agent = agent
        self._lock = lock
        self._spool = folder.open_folder(options.spool)
        self._run = folder.open_folder(os.path.dirname(options.agent_socket))
        self._agent_address = folder.address(self._run, os.path.basename(options.agent_socket))
        self._mode = _OTHER_USERS_MAY_PASS if os.geteuid() == 0 else 0o700
        self._own = own_account()
        self._one_host_file = _write_one_host_file(options)
        self._wakeup = Wakeup()
        self._supervisors: dict[int, AttemptKey] = {}
        self._readers: set[int] = set()
        self._inbox = bytearray()
        self._is_open = True

    def run(self) -> None:
        """Until the agent is gone."""
        poll = select.poll()
        poll.register(self._agent, select.POLLIN)
        poll.register(self._wakeup.reader, select.POLLIN)
        while self._is_open:
            ready = {fd for fd, _ in poll.poll()}
            if self._wakeup.reader in ready:
                self._wakeup.drain()
            if self._agent.fileno() in ready:
                self._hear()
            self._reap()

    def _hear(self) -> None:
        try:
            chunk = self._agent.recv(1 << 16)
        except ConnectionResetError:
            chunk = b""
        self._is_open = bool(chunk)
        self._inbox += chunk
        while len(self._inbox) >= HEAD:
            end = HEAD + int.from_bytes(self._inbox[:HEAD], "big")
            if len(self._inbox) < end:
                break
            message = TO_LAUNCHER.decode(memoryview(self._inbox)[HEAD:end].tobytes())
            del self._inbox[:end]
            self._do(message)

    def _do(self, message: Launch | ReadAs) -> None:
        match message:
            case Launch(info=info):
                self._tell(self._launched(info))
            case ReadAs():
                self._fork_reader(message)

    def _tell(self, message: FromLauncher) -> None:
        try:
            self._agent.sendall(framed(message))
        except OSError:
            self._is_open = False  # folder and lock tell it to the next agent

    # --- attempts -----------------------------------------------------------------------------------------------

    def _launched(self, info: StartInfo) -> FromLauncher:
        try:
            at, lock = folder.make_folder(self._spool, info.key, boot_id=self._options.boot_id, mode=self._mode)
        except FileExistsError:
            return NotForked(info.key, "the attempt was launched on this host before", is_repeat=True)
        except OSError as error:
            folder.remove_tree(self._spool, str(info.key))
            return NotForked(info.key, f"the attempt's folder cannot be made: {error.strerror}")
        ctl = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            ctl.bind(folder.address(at, folder.CTL))
            pid = self._fork_supervisor(info, at, lock, ctl)
        except OSError as error:
            folder.remove_tree(self._spool, str(info.key))
            return NotForked(info.key, f"a supervisor cannot be forked: {error.strerror}")
        finally:
            ctl.close()
            os.close(lock)
            os.close(at)
        self._supervisors[pid] = info.key
        return Forked(info.key, pid)

    def _fork_supervisor(self, info: StartInfo, at: int, lock: int, ctl: socket.socket) -> int:
        assert_single_threaded()
        pid = os.fork()  # xce-fork-ok: the launcher has one thread and has loaded all that a supervisor needs
        if pid == 0:
            self._live(lambda: self._supervise(info, at, lock, ctl))
        return pid

    def _supervise(self, info: StartInfo, at: int, lock: int, ctl: socket.socket) -> int:
        os.setsid()
        become_subreaper()
        path = f"{self._options.spool}/{info.key}"
        site = Site(self._options.host, self._own, self._one_host_file, path, at, self._options.output_max)
        supervisor = Supervisor(info, site, ctl=ctl, lock=lock, mailbox=Mailbox(self._agent_address))
        supervisor.live()
        supervisor.report()
        return os.EX_OK

    def _fork_reader(self, wanted: ReadAs) -> None:
        try:
            assert_single_threaded()
            pid = os.fork()  # xce-fork-ok: as above; the child becomes the user and reads one chunk
        except OSError as error:
            log("reader_not_forked", key=wanted.asked.key, error=error)
            return
        if pid == 0:
            self._live(lambda: reader.read_as(wanted, self._agent_address))
        self._readers.add(pid)

    def _live(self, body: Callable[[], int]) -> NoReturn:
        """The child's whole life. It never returns into the launcher's loop, and never holds the launcher's files."""
        status = os.EX_SOFTWARE
        gc.disable()  # a look at every object would copy every page
        try:
            self._wakeup.close()
            self._agent.close()
            os.close(self._lock)
            status = body()
        except BaseException:  # a bug: its traceback is all that is left of it, and the agent tells of the death
            traceback.print_exc()
        finally:
            os._exit(status)

    # --- children -----------------------------------------------------------------------------------------------

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                pid, status = ended
                key = self._supervisors.pop(pid, None)
                if key is not None:
                    self._tell(Gone(key, status))
                if status or (key is None and pid not in self._readers):
                    self._kill_orphans()
                self._readers.discard(pid)
        except ChildProcessError:
            pass

    def _kill_orphans(self) -> None:
        """Kill the children that were never forked here: their supervisor is dead, and so their attempt is over."""
        for pid in descendants.children(os.getpid()):
            if pid not in self._supervisors and pid not in self._readers:
                os.kill(pid, signal.SIGKILL)  # ours and not reaped: the pid is nobody else's


def _write_one_host_file(options: LauncherOptions) -> str:
    """The host file of all attempts with one task, here; returns its path."""
    path = f"{options.spool}/{folder.ONE_HOST_FILE}"
    with open(path, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o644)
        file.write(f"{options.host}\n")
    return path


def become_subreaper() -> None:
    if _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def main(options: LauncherOptions) -> int:
    """The launcher's process; descriptor 3 is the agent."""
    lock = _hold_lock(f"{options.state}/{LOCK_FILE}")
    os.umask(0o077)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    os.set_inheritable(AGENT_FD, False)
    take_note()
    become_subreaper()
    _load_ahead(options)
    Launcher(options, socket.socket(fileno=AGENT_FD), lock).run()
    return 0


def _hold_lock(path: str) -> int:
    """One launcher at a time; the file names the process for an agent that finds it stuck."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d %d\n" % (os.getpid(), descendants.start_time(os.getpid()) or 0), 0)
    return lock


def _load_ahead(options: LauncherOptions) -> None:
    """What a child would otherwise load for itself, once for each."""
    rehearse(options.spool, own_account())
    os.getgrouplist("root", 0)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.exit(main(msgspec.json.decode(sys.argv[1], type=LauncherOptions)))
