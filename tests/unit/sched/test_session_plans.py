"""What a session places where, in which order, and what it says of the rest."""

from typing import Any

from xcelib.config.canonical import to_bytes
from xcelib.config.model import ClusterConfig, QueueConfig, ResourceConfig, empty
from xcelib.jobspec import TaskRange
from xcelib.reasons import ReasonCode, reason_text
from xceserver.core import view
from xceserver.core.records import Needs
from xceserver.sched.board import Board
from xceserver.sched.session import plan


class Room:
    """A board filled by hand."""

    def __init__(self, config: ClusterConfig | None = None) -> None:
        self.board = Board()
        self.apply(view.ConfigSet(generation=1, document=to_bytes(config or empty())))

    def apply(self, change: view.Change, *, now: float = 0.0) -> None:
        self.board.apply(change, now=now)

    def host(self, name: str, *, slots: int = 4, mem: int = 8 << 30, used: int = 0, **fields: Any) -> None:
        given = {"is_up": True, "is_open": True, "attributes": {"type": "X86_64"}, **fields}
        self.apply(view.HostSet(name=name, total={"slots": slots, "mem": mem}, used={"slots": used}, **given))

    def job(
        self, job_id: int, *, bucket: int = 1, waiting: int = 1, startable: int | None = None, begin: float = 0.0
    ) -> None:
        able = waiting if startable is None else startable
        self.apply(view.JobSet(id=job_id, bucket=bucket, waiting=waiting, startable=able, begin=begin))

    def bucket(self, bucket_id: int = 1, **needs: Any) -> None:
        given = {"user": "ann", "queue": "normal", "app": "default", "project": "", **needs}
        self.apply(view.BucketSet(id=bucket_id, needs=Needs(**given)))

    def starts(self) -> list[tuple[int, str, int, int]]:
        made = plan(self.board, number=1)
        return [(start.job_id, start.host, start.tasks, start.count) for start in made.starts]

    def reasons(self, bucket_id: int = 1) -> list[str]:
        made = plan(self.board, number=1)
        found = {wait.bucket: wait.reasons for wait in made.waits}
        return [reason_text(reason) for reason in found.get(bucket_id, ())]


def test_jobs_start_in_the_order_of_their_submission_on_hosts_in_the_order_of_their_names() -> None:
    room = Room()
    room.host("b", slots=1)
    room.host("a", slots=1)
    room.bucket()
    for job_id in (3, 1, 2):
        room.job(job_id)
    assert room.starts() == [(1, "a", 1, 1), (2, "b", 1, 1)]


def test_a_higher_job_priority_goes_first() -> None:
    room = Room()
    room.host("a", slots=1)
    room.bucket(1)
    room.bucket(2, priority=90)
    room.job(1, bucket=1)
    room.job(2, bucket=2)
    assert room.starts() == [(2, "a", 1, 1)]


def test_a_higher_queue_goes_before_a_higher_job_priority() -> None:
    queues = {"normal": QueueConfig(name="normal"), "top": QueueConfig(name="top", priority=99)}
    base = empty()
    room = Room(ClusterConfig(queues=queues, applications=base.applications))
    room.host("a", slots=1)
    room.bucket(1, priority=100)
    room.bucket(2, queue="top", priority=0)
    room.job(1, bucket=1)
    room.job(2, bucket=2)
    assert room.starts() == [(2, "a", 1, 1)]


def test_buckets_of_equal_priority_take_turns_by_submission() -> None:
    room = Room()
    room.host("a", slots=3)
    room.bucket(1)
    room.bucket(2, user="bob")
    room.job(1, bucket=1)
    room.job(2, bucket=2)
    room.job(3, bucket=1)
    assert [start[0] for start in room.starts()] == [1, 2, 3]


def test_an_array_fills_hosts_in_one_go() -> None:
    room = Room()
    room.host("a", slots=2)
    room.host("b", slots=2)
    room.bucket()
    room.job(1, waiting=10)
    assert room.starts() == [(1, "a", 1, 2), (1, "b", 1, 2)]


def test_an_array_limit_binds() -> None:
    room = Room()
    room.host("a", slots=8)
    room.bucket()
    room.job(1, waiting=10, startable=3)
    assert room.starts() == [(1, "a", 1, 3)]


def test_a_task_range_takes_as_many_as_fit() -> None:
    room = Room()
    room.host("a", slots=6)
    room.bucket(tasks=TaskRange(min=2, max=16))
    room.job(1)
    assert room.starts() == [(1, "a", 6, 1)]


def test_memory_is_reserved_like_slots() -> None:
    room = Room()
    room.host("a", slots=8, mem=8 << 30)
    room.bucket(resreq="rusage[mem=3G]")
    room.job(1, waiting=5)
    assert room.starts() == [(1, "a", 1, 2)]


def test_a_small_job_passes_a_large_one_that_does_not_fit() -> None:
    room = Room()
    room.host("a", slots=4, used=2)
    room.bucket(1, resreq="rusage[slots=4]")
    room.bucket(2)
    room.job(1, bucket=1)
    room.job(2, bucket=2)
    assert room.starts() == [(2, "a", 1, 1)]


def test_select_chooses_hosts() -> None:
    room = Room()
    room.host("a", attributes={"type": "ARM64"})
    room.host("b")
    room.bucket(resreq="select[type == X86_64]")
    room.job(1)
    assert room.starts() == [(1, "b", 1, 1)]


def test_a_shared_counter_is_one_pool_for_all_hosts() -> None:
    base = empty()
    lic = ResourceConfig(name="lic", layer="counter", scope="shared", total=3)
    room = Room(ClusterConfig(queues=base.queues, applications=base.applications, resources={"lic": lic}))
    room.host("a")
    room.host("b")
    room.bucket(resreq="rusage[lic=2/job]")
    room.job(1, waiting=2)
    assert room.starts() == [(1, "a", 1, 1)]
    assert [reason_text(reason) for reason in room.board.waits[1]] == ["lic: 2 asked, 1 of 3 free"]


def test_a_begin_time_keeps_a_job_out_until_it_comes() -> None:
    room = Room()
    room.host("a")
    room.bucket()
    room.job(1, begin=50.0)
    assert room.starts() == []
    assert room.board.wake(now=50.0)
    assert room.starts() == [(1, "a", 1, 1)]


def test_the_reason_counts_hosts_by_what_rules_them_out() -> None:
    room = Room()
    room.host("a", used=4)
    room.host("b", used=4)
    room.host("c", is_open=False)
    room.host("d", is_up=False)
    room.host("e", attributes={"type": "ARM64"})
    room.host("f", slots=1)
    room.bucket(resreq="select[type == X86_64] rusage[slots=2]")
    room.job(1)
    (reason,) = room.reasons()
    assert reason == (
        "no host fits now (6 hosts: 2 slots 2 of 0 free, 1 closed or drained by an administrator, 1 not reachable,"
        " 1 select does not match [type == X86_64], 1 too small: slots 2 of 1)"
    )


def test_an_inactive_queue_is_the_reason_of_all_its_jobs() -> None:
    room = Room()
    room.host("a")
    room.apply(view.QueueSet(name="normal", is_active=False))
    room.bucket()
    room.job(1)
    assert room.starts() == []
    assert room.board.waits[1][0].code == ReasonCode.QUEUE_INACTIVE


def test_a_reason_that_did_not_change_is_not_said_again() -> None:
    room = Room()
    room.host("a", used=4)
    room.bucket()
    room.job(1)
    assert plan(room.board, number=1).waits
    assert plan(room.board, number=2).waits == ()


def test_reasons_end_when_the_job_starts() -> None:
    room = Room()
    room.host("a", used=4)
    room.bucket()
    room.job(1)
    assert plan(room.board, number=1).waits
    room.host("a")
    made = plan(room.board, number=2)
    assert [(wait.bucket, wait.reasons) for wait in made.waits] == [(1, ())]


def test_the_same_board_gives_the_same_plan_whatever_the_order_of_arrival() -> None:
    first, second = Room(), Room()
    for room, order in ((first, ("a", "b", "c")), (second, ("c", "a", "b"))):
        for name in order:
            room.host(name, slots=2)
        room.bucket()
        for job_id in (5, 4, 6) if room is first else (6, 5, 4):
            room.job(job_id)
    assert first.starts() == second.starts()
