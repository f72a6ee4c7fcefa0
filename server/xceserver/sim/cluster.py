"""The simulated cluster: one controller, one scheduler, some hosts, and people who ask for things."""

from collections.abc import Callable
from random import Random
from typing import Any

from xcelib.config.canonical import to_bytes
from xcelib.config.model import empty
from xcelib.errors import XceError
from xcelib.reasons import reason_text
from xcelib.states import FINAL
from xceserver.controller.controller import Controller, Request
from xceserver.controller.leases import Leases
from xceserver.core import commands as cmd
from xceserver.core.invariants import check_invariants
from xceserver.core.reasons import pending_reasons
from xceserver.core.state import ClusterState
from xceserver.core.view import Change
from xceserver.peer import FromWorker, Heartbeat, ToWorker, Welcome, WorkerHello
from xceserver.sched.process import Planner
from xceserver.sim.clock import SimClock
from xceserver.sim.disk import NAME, SimDisk, SimStore
from xceserver.sim.host import Oracle, SimHost
from xceserver.sim.net import Faults, Link
from xceserver.store.database import Reader, recover
from xceserver.store.records import pack, pack_job

TICK_S = 0.5
BEAT_S = 15.0
RELINK_S = (0.05, 2.0)


class SimCluster:
    """Owns every part. `down_host` and the like are the faults; `controller` is None while it is down."""

    def __init__(self, seed: int, *, hosts: int = 3, slots: int = 4) -> None:
        self.rng = Random(seed)
        self.clock = SimClock()
        self.faults = Faults()
        self.oracle = Oracle()
        self.disk = SimDisk()
        self.hosts = {
            f"h{n}": SimHost(f"h{n}", slots, clock=self.clock, rng=self._split(), oracle=self.oracle)
            for n in range(1, hosts + 1)
        }
        self.trace: list[str] = []
        self.controller: Controller | None = None
        self._store: SimStore | None = None
        self._outgoing: dict[str, Link] = {}
        self._incoming: dict[str, Link] = {}
        self._scheduler: Planner | None = None
        self._to_scheduler: Link | None = None
        self._from_scheduler: Link | None = None
        self._life = 0
        self.start_controller()
        self.clock.call_later(TICK_S, self._tick)

    def close(self) -> None:
        self.disk.close()

    def _split(self) -> Random:
        """A random source of its own for each part: one part's draws do not shift another's."""
        return Random(self.rng.getrandbits(64))

    def note(self, text: str) -> None:
        self.trace.append(f"{self.clock.steady():.4f} {text}")

    # --- the controller ---------------------------------------------------------------------------------------

    def start_controller(self) -> None:
        """Recover from the disk, as a new process would."""
        state, document = recover(self.disk.connection, NAME)
        self._store = SimStore(self.disk, clock=self.clock, rng=self._split())
        last_seq = Reader(self.disk.connection, NAME).last_seq()
        self.controller = Controller(
            state,
            document or to_bytes(empty()),
            store=self._store,
            followers=self,
            clock=self.clock,
            last_seq=last_seq,
        )
        self._life += 1
        self._leases = Leases({h.name: h.is_up for h in state.hosts.values()}, now=self.clock.steady())
        self.note(f"controller up, {len(state.jobs)} live jobs")

    def crash_controller(self) -> None:
        """kill -9: memory and queued transactions are gone, links break."""
        assert self._store is not None
        self.note("controller crashes")
        self._store.crash()
        self.controller = self._store = None
        for link in [*self._outgoing.values(), *self._incoming.values()]:
            link.close()
        self._unlink_scheduler()

    def ask(self, command: cmd.AnyCommand, reply: Callable[[Any], None], request: Request | None = None) -> None:
        """Ask as the API would. Nobody answers while the controller is down, or when it dies first."""
        if self.controller is None:
            return
        life = self._life
        self.controller.handle(command, lambda answer: reply(answer) if life == self._life else None, request)
        check_invariants(self.controller.state)

    def _ask_quietly(self, command: cmd.AnyCommand) -> None:
        def reply(answer: Any) -> None:
            if isinstance(answer, XceError):
                self.note(f"refused {type(command).__name__}: {answer.code}")

        self.ask(command, reply)

    # --- Followers ----------------------------------------------------------------------------------------------

    def tell_worker(self, host: str, message: ToWorker) -> None:
        link = self._outgoing.get(host)
        if link is not None:
            link.send(message)

    def tell_scheduler(self, news: list[Change]) -> None:
        if self._to_scheduler is not None:
            self._to_scheduler.send(news)

    def job_moved(self, job_id: int) -> None:
        pass

    # --- links ----------------------------------------------------------------------------------------------------

    def _link_host(self, host: SimHost) -> None:
        """Open a connection: the worker's hello goes first."""
        outgoing = Link(self.clock, self._split(), self.faults, host.hear)
        incoming = Link(self.clock, self._split(), self.faults, lambda message: self._from_worker(host, message))

        def broken() -> None:
            outgoing.is_open = incoming.is_open = False
            if self._outgoing.get(host.name) is outgoing:
                del self._outgoing[host.name], self._incoming[host.name]
                host.unlinked()

        outgoing.on_break = incoming.on_break = broken
        self._outgoing[host.name], self._incoming[host.name] = outgoing, incoming
        host.linked(incoming.send)

    def _from_worker(self, host: SimHost, message: FromWorker) -> None:
        if self.controller is None:
            return
        self._leases.renew(host.name, now=self.clock.steady())
        match message:
            case WorkerHello():
                timers = self.controller.state.config.timers
                self.tell_worker(host.name, Welcome(timers.lease_timeout_s, timers.host_loss_grace_s))
                self._ask_quietly(cmd.HostJoins(message))
            case Heartbeat():
                pass
            case _:
                self._ask_quietly(cmd.WorkerReports(host.name, (message,)))  # type: ignore[arg-type]

    def _link_scheduler(self) -> None:
        assert self.controller is not None
        planner = self._scheduler = Planner(self.clock)

        def hear(news: list[Change]) -> None:
            planner.take(news)
            self._plan(planner)

        self._to_scheduler = Link(self.clock, self._split(), self.faults, hear)
        self._from_scheduler = Link(
            self.clock, self._split(), self.faults, lambda plan: self._ask_quietly(cmd.AdmitPlan(plan))
        )
        self._to_scheduler.on_break = self._from_scheduler.on_break = self._unlink_scheduler
        self.controller.when_durable(self.controller.follow)

    def _plan(self, planner: Planner) -> None:
        plan = planner.next_plan() if planner is self._scheduler else None
        if plan is not None and self._from_scheduler is not None:
            self._from_scheduler.send(plan)

    def _unlink_scheduler(self) -> None:
        for link in (self._to_scheduler, self._from_scheduler):
            if link is not None:
                link.is_open = False
        self._scheduler = self._to_scheduler = self._from_scheduler = None
        if self.controller is not None:
            self.controller.unfollow()

    def crash_scheduler(self) -> None:
        self.note("scheduler crashes")
        self._unlink_scheduler()

    # --- time -------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """What timers of real daemons do: relink, beat, expire."""
        self.clock.call_later(TICK_S, self._tick)
        if self.controller is None:
            return
        for host in self.hosts.values():
            if not host.is_agent_up:
                continue
            if not host.is_linked:
                if self.rng.random() < 0.5:
                    self._link_host(host)
            elif self.rng.random() < TICK_S / BEAT_S * 4:
                host.beat()
        if self._scheduler is None:
            self._link_scheduler()
        else:
            self._plan(self._scheduler)
        timers = self.controller.state.config.timers
        due = self._leases.due(
            now=self.clock.steady(), lease_s=timers.lease_timeout_s, grace_s=timers.host_loss_grace_s
        )
        for command in list(due):
            self.note(f"{type(command).__name__} {command.host}")
            self._ask_quietly(command)

    def check_reasons(self) -> None:
        """A pending job without a reason is impossible (70-scheduling, Why)."""
        if self.controller is None:
            return
        state, waits = self.controller.state, self.controller.waits
        is_scheduled = self.controller.is_followed
        for job in state.jobs.values():
            if job.waiting or job.gated or job.held:
                found = pending_reasons(state, job, waits, is_scheduled=is_scheduled, now=self.clock.wall())
                assert found, f"job {job.id} waits and nobody knows why: {job}"
                assert all(reason_text(reason) for reason in found), f"job {job.id}: a reason without words"

    # --- comparing ------------------------------------------------------------------------------------------------

    def compare_recovery(self) -> None:
        """What recovery reads is what lives in memory, as far as it is on disk."""
        if self.controller is None or not self.controller.is_durable:
            return
        recovered, _ = recover(self.disk.connection, NAME)
        check_invariants(recovered)
        live, read = _records(self.controller.state), _records(recovered)
        for name in {*live, *read}:
            assert live.get(name) == read.get(name), f"{name}: in memory {live.get(name)!r}, on disk {read.get(name)!r}"


def _records(state: ClusterState) -> dict[str, bytes]:
    """Every live record as bytes; finished jobs that memory still keeps are left out."""
    found = {f"host {host.name}": pack(host) for host in state.hosts.values()}
    found |= {f"queue {admin.name}": pack(admin) for admin in state.queues.values()}
    for job in state.jobs.values():
        if job.ended_at is not None:
            continue
        found[f"job {job.id}"] = pack_job(job)
        for element in (job.elements or {}).values():
            assert element.state not in FINAL, f"{job.id}[{element.index}] is final and live"
            found[f"element {job.id}[{element.index}]"] = pack(element)
    return found
