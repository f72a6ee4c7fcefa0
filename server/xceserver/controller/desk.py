"""The controller on an event loop: one round of commands at a time, links, watchers, timers."""

import asyncio
import itertools
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import msgspec

from xcelib import depends
from xcelib.errors import StorageFull, TryAgain, XceError
from xcelib.reasons import Reason
from xcelib.wire import Stream
from xceserver.controller.commits import Committer
from xceserver.controller.controller import Controller, Request
from xceserver.controller.leases import Leases
from xceserver.core import commands as cmd
from xceserver.core.reasons import pending_reasons
from xceserver.core.records import Actor, Job
from xceserver.core.state import ClusterState
from xceserver.core.view import Change, Plan
from xceserver.peer import (
    AttemptKey,
    FromWorker,
    Heartbeat,
    OutputChunk,
    ReadOutput,
    ToWorker,
    Usage,
    Welcome,
    WorkerHello,
)
from xceserver.ports import Clock
from xceserver.store.database import Reader

OUTPUT_WAIT_S = 10.0


class WorkerLink:
    """One open link of a worker."""

    def __init__(self, send: Callable[[ToWorker], None]) -> None:
        self.send = send
        self.load: dict[str, float] = {}
        self.usage: dict[AttemptKey, Usage] = {}


class SchedulerLink:
    def __init__(self, pid: int, version: str, send: Callable[[list[Change]], None]) -> None:
        self.pid = pid
        self.version = version
        self.send = send


class ControllerDesk:
    """The asyncio shell round the `Controller`; see `xceserver.api.desk.Desk` for the contract of its visitors."""

    def __init__(
        self,
        *,
        clock: Clock,
        history: Reader,
        archive: Reader,
        storage_is_full: Callable[[], bool],
        die: Callable[[], None],
    ) -> None:
        """`history` is for the loop's own short look-ups, `archive` for long ones in other threads. `die` ends the process: called when the writer itself is found wrong."""
        self._die = die
        self._clock = clock
        self._history = history
        self._archive = archive
        self._storage_is_full = storage_is_full
        self._workers: dict[str, WorkerLink] = {}
        self._scheduler: SchedulerLink | None = None
        self._watchers: defaultdict[int, set[asyncio.Future[None]]] = defaultdict(set)
        self._reads: dict[int, asyncio.Future[OutputChunk]] = {}
        self._read_numbers = itertools.count(1)
        self._controller: Controller | None = None
        self._committer: Committer | None = None
        self._is_round_open = False

    def attach(self, controller: Controller, committer: Committer) -> None:
        """Complete the pair: the controller needs its followers, the desk its controller."""
        self._controller, self._committer = controller, committer
        hosts = {host.name: host.is_up for host in controller.state.hosts.values() if host.joined_at}
        self._leases = Leases(hosts, now=self._clock.steady())

    # --- what the controller tells (Followers) ---------------------------------------------------------------

    def tell_worker(self, host: str, message: ToWorker) -> None:
        link = self._workers.get(host)
        if link is not None:
            link.send(message)

    def tell_scheduler(self, news: list[Change]) -> None:
        if self._scheduler is not None:
            self._scheduler.send(news)

    def job_moved(self, job_id: int) -> None:
        for watcher in self._watchers.pop(job_id, ()):
            if not watcher.done():
                watcher.set_result(None)

    # --- reading -----------------------------------------------------------------------------------------------

    @property
    def controller(self) -> Controller:
        assert self._controller is not None, "attach was not called"
        return self._controller

    @property
    def state(self) -> ClusterState:
        return self.controller.state

    @property
    def history(self) -> Reader:
        return self._history

    @property
    def archive(self) -> Reader:
        return self._archive

    @property
    def document(self) -> bytes:
        return self.controller.document

    @property
    def scheduler(self) -> tuple[int, str] | None:
        return None if self._scheduler is None else (self._scheduler.pid, self._scheduler.version)

    def linked_hosts(self) -> frozenset[str]:
        return frozenset(self._workers)

    def load(self, host: str) -> dict[str, float]:
        link = self._workers.get(host)
        return {} if link is None else link.load

    def reasons(self, job: Job) -> tuple[Reason, ...]:
        is_scheduled = self._scheduler is not None
        return pending_reasons(
            self.state, job, self.controller.waits, is_scheduled=is_scheduled, now=self._clock.wall()
        )

    def reasons_as_of(self) -> float:
        return self.controller.waits.as_of

    async def durable(self) -> None:
        if self.controller.is_durable:
            return
        ready = asyncio.Event()
        self.controller.when_durable(ready.set)
        await ready.wait()

    async def watch(self, job_id: int, *, seconds: float) -> None:
        watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watchers[job_id].add(watcher)
        try:
            await asyncio.wait_for(watcher, seconds)
        except TimeoutError:
            pass
        finally:
            self._watchers[job_id].discard(watcher)
            if not self._watchers[job_id]:
                del self._watchers[job_id]

    # --- asking ------------------------------------------------------------------------------------------------

    async def ask(self, command: cmd.AnyCommand, *, key: str = "", digest: bytes = b"") -> Any:
        if isinstance(command, cmd.Submit):
            if self._storage_is_full():
                raise StorageFull(
                    "the disk of the cluster's state is nearly full: no new work is accepted",
                    hints=["what was accepted goes on; free some space and submit again"],
                )
            command = self._with_known(command)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def reply(value: Any) -> None:
            if answer.done():
                return  # the caller has gone
            if isinstance(value, Exception):
                answer.set_exception(value)
            else:
                answer.set_result(value)

        self._do(command, reply, Request(key, digest) if key else None, is_urgent=True)
        return await answer

    def _with_known(self, command: cmd.Submit) -> cmd.Submit:
        """Add the finished jobs that dependencies name: facts for the pure core."""
        known: dict[int, Job] = {}
        for spec in command.specs:
            if spec.depends is not None:
                for job in self._named_jobs(depends.parse(spec.depends), command.actor):
                    known[job.id] = job
        return msgspec.structs.replace(command, known=tuple(known.values()))

    def _named_jobs(self, condition: depends.Condition, actor: Actor) -> list[Job]:
        found = [self._history.job(job_id) for job_id in depends.job_ids(condition) if job_id not in self.state.jobs]
        found += [self._history.newest_named(actor.user, name) for name in depends.names(condition)]
        return [job for job in found if job is not None and job.ended_at is not None]

    def _do(
        self,
        command: cmd.AnyCommand,
        reply: Callable[[Any], None],
        request: Request | None = None,
        *,
        is_urgent: bool,
    ) -> None:
        """Handle the command in this round; the round's transactions are committed together."""
        committer = self._committer
        assert committer is not None
        committer.is_urgent |= is_urgent
        try:
            self.controller.handle(command, reply, request)
        except Exception:  # a bug in the one writer: what memory shows may be half true, so nothing goes on
            traceback.print_exc()
            self._die()
            raise
        if not self._is_round_open:
            self._is_round_open = True
            asyncio.get_running_loop().call_soon(self._end_round)

    def _end_round(self) -> None:
        self._is_round_open = False
        assert self._committer is not None
        self._committer.settle()

    def _do_quietly(self, command: cmd.AnyCommand) -> None:
        self._do(command, _log_refusal, is_urgent=False)

    # --- workers -----------------------------------------------------------------------------------------------

    def open_worker(self, hello: WorkerHello, send: Callable[[ToWorker], None]) -> object:
        link = self._workers[hello.host] = WorkerLink(send)
        timers = self.state.config.timers
        self._leases.renew(hello.host, now=self._clock.steady())
        send(
            Welcome(
                lease_s=timers.lease_timeout_s,
                rerun_fence_s=timers.lease_timeout_s + timers.host_loss_grace_s / 2,
            )
        )
        self._do_quietly(cmd.HostJoins(hello))
        return link

    def worker_said(self, host: str, link: object, messages: list[FromWorker]) -> None:
        if self._workers.get(host) is not link:
            return  # an older link of the same host: its newer one says everything again
        self._leases.renew(host, now=self._clock.steady())
        reports = []
        for message in messages:
            if isinstance(message, Heartbeat):
                self._workers[host].load = message.load
                self._workers[host].usage = dict(message.usage)
            elif isinstance(message, OutputChunk):
                waiting = self._reads.pop(message.request, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
            elif not isinstance(message, WorkerHello):
                reports.append(message)
        if reports:
            self._do_quietly(cmd.WorkerReports(host, tuple(reports)))

    def close_worker(self, host: str, link: object) -> None:
        if self._workers.get(host) is link:
            del self._workers[host]

    def usage(self, host: str, key: AttemptKey) -> Usage | None:
        """The latest sample of a running attempt."""
        link = self._workers.get(host)
        return None if link is None else link.usage.get(key)

    async def read_output(self, host: str, key: AttemptKey, stream: Stream, *, offset: int, limit: int) -> OutputChunk:
        link = self._workers.get(host)
        if link is None:
            raise TryAgain(f"host `{host}` is not linked now; its output cannot be read", code="host_not_linked")
        number = next(self._read_numbers)
        self._reads[number] = asyncio.get_running_loop().create_future()
        link.send(ReadOutput(request=number, key=key, stream=stream, offset=offset, limit=limit))
        try:
            return await asyncio.wait_for(self._reads[number], OUTPUT_WAIT_S)
        except TimeoutError:
            raise TryAgain(f"host `{host}` did not send the output in time", code="host_slow") from None
        finally:
            self._reads.pop(number, None)

    # --- the scheduler -----------------------------------------------------------------------------------------

    def open_scheduler(self, pid: int, version: str, send: Callable[[list[Change]], None]) -> object:
        """The newest link is the scheduler; an older one is no longer heard."""
        link = self._scheduler = SchedulerLink(pid, version, send)

        def begin() -> None:
            if self._scheduler is link:
                self.controller.follow()

        self.controller.when_durable(begin)
        return link

    def scheduler_said(self, link: object, plan: Plan) -> None:
        if self._scheduler is link:
            self._do_quietly(cmd.AdmitPlan(plan))

    def close_scheduler(self, link: object) -> None:
        if self._scheduler is link:
            self._scheduler = None
            self.controller.unfollow()

    # --- timers ------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Called a few times a lease: leases and graces that are over."""
        timers = self.state.config.timers
        due = self._leases.due(
            now=self._clock.steady(), lease_s=timers.lease_timeout_s, grace_s=timers.host_loss_grace_s
        )
        for command in due:
            self._do_quietly(command)


def _log_refusal(answer: Any) -> None:
    if isinstance(answer, Exception) and not isinstance(answer, XceError):
        traceback.print_exception(answer)
    elif isinstance(answer, XceError):
        print(f"controller refused code={answer.code} message={answer.message!r}", file=sys.stderr)
