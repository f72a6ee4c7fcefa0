"""A session: from the board to a plan. Pure; bounded by the work that can be placed, not by time.

Queues by priority, inside a queue jobs by priority, then by submission. A bucket that cannot place
one job is not tried again in the session: its later jobs have the same needs. Hosts are tried in the
order of their names; what is free only shrinks during a session, so a host that refused a bucket once
refuses it to the end, and each bucket walks the hosts at most once.
"""

import heapq
from collections import Counter
from collections.abc import Iterator

from xcelib.merge import Rejection
from xcelib.reasons import Reason, ReasonCode
from xcelib.resreq.evaluate import matches
from xcelib.resreq.printer import expr_text
from xceserver.core.sizing import Sizing, first_lack
from xceserver.core.view import HostSet, Plan, Start, Wait
from xceserver.sched.board import Board, BucketBoard

STARTS_MAX = 4096  # of one plan: the controller and the workers get something to do while the next is made

_Ruled = tuple[ReasonCode, tuple[tuple[str, str | int], ...]]


class _Free:
    """What is left on hosts and in the pools, as this session gives it away."""

    def __init__(self, board: Board) -> None:
        self.hosts = [board.hosts[name] for name in sorted(board.hosts)]
        self.used = {host.name: dict(host.used) for host in self.hosts}
        self.shared_total = board.shared_total
        self.shared_used = dict(board.shared_used)

    def most_tasks(self, host: HostSet, sizing: Sizing) -> int:
        """The largest task count of the range that fits on the host now; 0: none does."""
        least = sizing.tasks.min
        if self.lack(host, sizing, least) is not None:
            return 0
        most = sizing.tasks.max
        if most == least:
            return least
        bounds = [most] if most is not None else []
        for name, amount in sizing.per_task.items():
            once = sizing.per_host.get(name, 0) + sizing.per_job.get(name, 0)
            left = host.total.get(name, 0) - self.used[host.name].get(name, 0) - once
            bounds.append(left // amount)
        for name, amount in sizing.shared_per_task.items():
            once = sizing.shared_per_job.get(name, 0)
            left = self.shared_total.get(name, 0) - self.shared_used.get(name, 0) - once
            bounds.append(left // amount)
        return min(bounds)

    def lack(self, host: HostSet, sizing: Sizing, tasks: int) -> tuple[str, int, int] | None:
        return first_lack(sizing.on_first_host(tasks), host.total, self.used[host.name])

    def shared_lack(self, sizing: Sizing) -> tuple[str, int, int] | None:
        return first_lack(sizing.shared(sizing.tasks.min), self.shared_total, self.shared_used)

    def take(self, host: HostSet, sizing: Sizing, tasks: int) -> None:
        used = self.used[host.name]
        for name, amount in sizing.on_first_host(tasks).items():
            used[name] = used.get(name, 0) + amount
        for name, amount in sizing.shared(tasks).items():
            self.shared_used[name] = self.shared_used.get(name, 0) + amount


class _Queue:
    """One bucket in the session: where it is among its jobs and among the hosts."""

    def __init__(self, bucket: BucketBoard, sizing: Sizing, free: _Free) -> None:
        self.bucket = bucket
        self.sizing = sizing
        self.free = free
        self.position = 0
        self.host_position = 0
        self.left = bucket.jobs[bucket.ready[0]].startable

    @property
    def head(self) -> int:
        return self.bucket.ready[self.position]

    def next_job(self) -> bool:
        self.position += 1
        if self.position >= len(self.bucket.ready):
            return False
        self.left = self.bucket.jobs[self.head].startable
        return True

    def place(self, board: Board, room: int) -> Iterator[Start]:
        """Starts for the job at the head, until it has no more elements, or no host fits, or `room` is used up."""
        hosts = self.free.hosts
        while self.left and room and self.host_position < len(hosts):
            host = hosts[self.host_position]
            count, tasks = self._fill(board, host, room)
            if count:
                yield Start(job_id=self.head, host=host.name, tasks=tasks, count=count)
                self.left -= count
                room -= count
            if self.left and room:
                self.host_position += 1

    def _fill(self, board: Board, host: HostSet, room: int) -> tuple[int, int]:
        """How many elements start on the host, each with how many tasks."""
        if _static_refusal(board, host, self.bucket, self.sizing) is not None:
            return 0, 0
        count, same = 0, 0
        while count < min(self.left, room):
            tasks = 0 if self.free.shared_lack(self.sizing) else self.free.most_tasks(host, self.sizing)
            if not tasks or (count and tasks != same):
                break
            same = tasks
            self.free.take(host, self.sizing, tasks)
            count += 1
        return count, same


def plan(board: Board, *, number: int) -> Plan:
    """What would start now, and why the rest waits. Same board, same plan."""
    free = _Free(board)
    starts: list[Start] = []
    waits: dict[int, tuple[Reason, ...]] = {}
    heap: list[tuple[int, int, int, int]] = []
    queues: dict[int, _Queue] = {}
    for bucket in board.buckets.values():
        blocked = _blocked(board, bucket)
        if blocked is not None:
            waits[bucket.id] = blocked
        elif bucket.ready:
            sizing = board.sizing(bucket)
            assert isinstance(sizing, Sizing)
            queues[bucket.id] = _Queue(bucket, sizing, free)
            heapq.heappush(heap, _rank(board, queues[bucket.id]))
    room = STARTS_MAX
    while heap and room:
        queue = queues[heapq.heappop(heap)[3]]
        for start in queue.place(board, room):
            starts.append(start)
            room -= start.count
        if queue.left:
            if room:
                waits[queue.bucket.id] = _why(board, free, queue)
        elif queue.next_job():
            heapq.heappush(heap, _rank(board, queue))
    return Plan(number=number, basis=board.version, starts=tuple(starts), waits=tuple(_news(board, waits)))


def _rank(board: Board, queue: _Queue) -> tuple[int, int, int, int]:
    needs = queue.bucket.needs
    return -board.queue_priority(needs.queue), -needs.priority, queue.head, queue.bucket.id


def _news(board: Board, waits: dict[int, tuple[Reason, ...]]) -> Iterator[Wait]:
    """The buckets whose reasons differ from what was said last; the board remembers."""
    for bucket_id in {**board.waits, **waits}:
        reasons = waits.get(bucket_id, ())
        if board.waits.get(bucket_id, ()) != reasons:
            if reasons:
                board.waits[bucket_id] = reasons
            else:
                board.waits.pop(bucket_id, None)
            yield Wait(bucket=bucket_id, reasons=reasons)


def _blocked(board: Board, bucket: BucketBoard) -> tuple[Reason, ...] | None:
    """Why no job of the bucket can start, whatever the hosts."""
    if not bucket.jobs:
        return None
    queue = bucket.needs.queue
    if queue in board.inactive_queues:
        return (Reason(ReasonCode.QUEUE_INACTIVE, {"queue": queue, "why": ""}),)
    sizing = board.sizing(bucket)
    if isinstance(sizing, Rejection):
        return (Reason(ReasonCode.UNSUBMITTABLE, {"message": sizing.message}),)
    if not board.hosts:
        return (Reason(ReasonCode.NO_HOSTS),)
    return None


def _why(board: Board, free: _Free, queue: _Queue) -> tuple[Reason, ...]:
    """What stands in the way of the job at the head: host by host, in aggregate."""
    sizing = queue.sizing
    lack = free.shared_lack(sizing)
    if lack is not None:
        name, asked, left = lack
        total = free.shared_total.get(name, 0)
        return (Reason(ReasonCode.SHARED_RESOURCE, {"resource": name, "asked": asked, "free": left, "total": total}),)
    ruled: Counter[_Ruled] = Counter()
    for host in free.hosts:
        refusal = _static_refusal(board, host, queue.bucket, sizing)
        ruled[refusal if refusal is not None else _busy(free, host, sizing)] += 1
    ordered = sorted(ruled.items(), key=lambda item: (-item[1], item[0]))
    parts = tuple(Reason(code, dict(facts), count=count) for (code, facts), count in ordered)
    return (Reason(ReasonCode.NO_HOST_FITS, count=len(free.hosts), parts=parts),)


def _static_refusal(board: Board, host: HostSet, bucket: BucketBoard, sizing: Sizing) -> _Ruled | None:
    """Why the host is out of the question for the bucket, however empty it is."""
    if not host.is_up:
        return ReasonCode.HOST_DOWN, ()
    if not host.is_open:
        return ReasonCode.HOST_CLOSED, ()
    if not board.is_usable_by(host.name, bucket.needs.queue):
        return ReasonCode.HOST_NOT_IN_QUEUE, (("queue", bucket.needs.queue),)
    if sizing.select is not None and not matches(sizing.select, {**host.total, **host.attributes, "hname": host.name}):
        return ReasonCode.HOST_SELECT, (("select", expr_text(sizing.select)),)
    lack = first_lack(sizing.on_first_host(sizing.tasks.min), host.total, {})
    if lack is not None:
        name, asked, total = lack
        return ReasonCode.HOST_TOO_SMALL, (("resource", name), ("asked", asked), ("total", total))
    return None


def _busy(free: _Free, host: HostSet, sizing: Sizing) -> _Ruled:
    lack = free.lack(host, sizing, sizing.tasks.min)
    assert lack is not None, f"{host.name} fits and was not used"
    name, asked, left = lack
    return ReasonCode.HOST_BUSY, (("resource", name), ("asked", asked), ("free", left))
