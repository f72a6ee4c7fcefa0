"""Attempts that the launcher plays through itself before its first fork, so that supervisors find everything warm.

Python adapts code where it runs, and fills caches at first use. Done in the launcher, it is shared by all forks;
done in a fork, each write copies a page. Measured: a sixth of a supervisor's page faults, a fifth of its cpu time.
"""

import os
import socket
from typing import Final

from xceserver.peer import AttemptKey, StartInfo
from xceserver.worker import folder
from xceserver.worker.local import ENCODER, Account, Forget
from xceserver.worker.mailbox import Mailbox
from xceserver.worker.preparation import Site
from xceserver.worker.supervisor import Supervisor

_STAGE: Final = ".rehearsal"
_AGENT: Final = "agent"
_TIMES: Final = 12  # Python has adapted all of it by then


def rehearse(spool: str, own: Account) -> None:
    """Play an attempt through, several times; nothing of it stays. The process has no children yet."""
    stage = f"{spool}/{_STAGE}"
    outer = folder.open_folder(spool)
    folder.remove_tree(outer, _STAGE)  # an earlier launcher may have died in the middle
    os.mkdir(_STAGE, 0o700, dir_fd=outer)
    at = folder.open_folder(_STAGE, within=outer)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as agent:
            agent.bind(folder.address(at, _AGENT))
            for number in range(_TIMES):
                _play(number + 1, stage, at, own)
                _empty(agent)
    finally:
        os.close(at)
        folder.remove_tree(outer, _STAGE)
        os.close(outer)


def _play(number: int, stage: str, spool: int, own: Account) -> None:
    info = StartInfo(
        key=AttemptKey(number, 0, 1),
        name="rehearsal",
        user=own.name,
        uid=own.uid,
        gid=own.gid,
        argv=("true",),
        cwd="/",
        hosts=((_STAGE, 1),),
        job_env={"PATH": os.defpath},
    )
    at, lock = folder.make_folder(spool, info.key, boot_id=_STAGE, mode=0o700)
    site = Site(_STAGE, own, f"{stage}/hosts", f"{stage}/{info.key}", at, 0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as ctl:
        ctl.bind(folder.address(at, folder.CTL))
        supervisor = Supervisor(info, site, ctl=ctl, lock=lock, mailbox=Mailbox(folder.address(spool, _AGENT)))
        supervisor.live()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as back:
            back.sendto(ENCODER.encode(Forget()), folder.address(at, folder.CTL))
        supervisor.report()
        supervisor.close()
    os.close(lock)
    os.close(at)


def _empty(agent: socket.socket) -> None:
    try:
        while agent.recv(1 << 16):
            pass
    except BlockingIOError:
        pass
