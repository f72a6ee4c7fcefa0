"""As whom a job runs: the account that its submitter has on this host, or not at all (G15)."""

import os
import pwd
from contextlib import suppress

from xceserver.peer import StartInfo
from xceserver.worker.failure import StartFailed
from xceserver.worker.local import Account

ROOT = 0


def own_account() -> Account:
    """The worker's own account; without a name where the user database does not know it."""
    uid, gid = os.geteuid(), os.getegid()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return Account("", uid, gid, (), "/", "/bin/sh", is_own=True)
    return Account(entry.pw_name, uid, gid, (), entry.pw_dir, entry.pw_shell or "/bin/sh", is_own=True)


def account_of(info: StartInfo) -> Account:
    """The account for `info.user`, checked against this host's user database. Raises `StartFailed`."""
    worker_uid = os.geteuid()
    if worker_uid not in (ROOT, info.uid):
        raise StartFailed(
            f"the worker runs as uid {worker_uid} and starts that user's jobs only, not those of `{info.user}`"
            f" (uid {info.uid})"
        )
    is_own = worker_uid == info.uid
    entry = _entry(info)
    if entry is None and is_own:  # a container without a line for its one user
        return Account(info.user, info.uid, info.gid, (), "/", "/bin/sh", is_own=True)
    if entry is None:
        raise StartFailed(f"user `{info.user}` (uid {info.uid}) has no account on this host")
    if entry.pw_uid != info.uid:
        raise StartFailed(f"user `{info.user}` has uid {entry.pw_uid} on this host, {info.uid} where it submitted")
    if entry.pw_name != info.user:
        raise StartFailed(f"uid {info.uid} is user `{entry.pw_name}` on this host, `{info.user}` where it submitted")
    groups = () if is_own else tuple(os.getgrouplist(info.user, info.gid))
    return Account(info.user, info.uid, info.gid, groups, entry.pw_dir, entry.pw_shell or "/bin/sh", is_own)


def become(account: Account) -> None:
    """Take on the account for good; nothing of the worker's own rights is left."""
    if account.is_own:
        return
    os.setgroups(account.groups)
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)
    assert os.getresuid() == (account.uid,) * 3, "the kernel kept another uid"
    assert os.getresgid() == (account.gid,) * 3, "the kernel kept another gid"


def _entry(info: StartInfo) -> pwd.struct_passwd | None:
    """The line of the user's name; without one the line of its uid."""
    with suppress(KeyError, ValueError):
        return pwd.getpwnam(info.user)
    with suppress(KeyError, ValueError):
        return pwd.getpwuid(info.uid)
    return None
