"""Who calls: the kernel's word, a name on this machine, and nobody in particular."""

import os
import pwd
from typing import Any

import pytest

from xcelib.errors import NotPermitted
from xceserver.api.callers import OVERFLOW_UIDS, Callers

OWNER = pwd.getpwall()[2]
OTHER = pwd.getpwall()[1]
UNKNOWN_UID = next(uid for uid in range(60_000, 65_000) if uid not in {each.pw_uid for each in pwd.getpwall()})


def scope(uid: int | None, gid: int = 7) -> dict[str, Any]:
    return {} if uid is None else {"client": (f"{uid}:{gid}", 1234)}


def refusal(uid: int | None) -> NotPermitted:
    with pytest.raises(NotPermitted) as caught:
        Callers(owner_uid=OWNER.pw_uid).actor(scope(uid))
    return caught.value


def test_root_and_the_owner_are_admin_and_others_are_users() -> None:
    callers = Callers(owner_uid=OWNER.pw_uid)
    roles = {uid: callers.actor(scope(uid)).role for uid in (0, OWNER.pw_uid, OTHER.pw_uid)}
    assert roles == {0: "admin", OWNER.pw_uid: "admin", OTHER.pw_uid: "user"}


def test_a_caller_has_the_name_and_the_ids_of_the_kernel() -> None:
    callers = Callers(owner_uid=0)
    for _ in range(2):  # looked up, and remembered
        actor = callers.actor(scope(OTHER.pw_uid, gid=99))
        assert (actor.user, actor.uid, actor.gid) == (OTHER.pw_name, OTHER.pw_uid, 99)


def test_the_same_user_in_another_group_is_another_caller() -> None:
    callers = Callers(owner_uid=0)
    assert [callers.actor(scope(OTHER.pw_uid, gid)).gid for gid in (1, 2, 1)] == [1, 2, 1]


@pytest.mark.parametrize("uid", sorted(OVERFLOW_UIDS))
def test_a_user_id_that_stands_for_nobody_is_refused(uid: int) -> None:
    error = refusal(uid)
    assert error.message == f"user id {uid} stands for nobody in particular and may not use the cluster"
    assert error.http_status == 403


def test_a_user_id_without_a_name_is_refused() -> None:
    assert refusal(UNKNOWN_UID).message == f"user id {UNKNOWN_UID} has no name on this machine"


def test_a_caller_that_came_by_another_way_is_refused() -> None:
    assert "connect through the unix socket" in refusal(None).message


def test_only_root_and_the_owner_act_as_daemons() -> None:
    callers = Callers(owner_uid=OWNER.pw_uid)
    assert [callers.is_peer(scope(uid)) for uid in (0, OWNER.pw_uid, OTHER.pw_uid, 65534, None)] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_many_callers_do_not_fill_the_memory() -> None:
    callers = Callers(owner_uid=0)
    for gid in range(10_001):
        callers.actor(scope(os.getuid(), gid))
    assert len(callers._known) <= 10_000
