"""One simulated host: a worker that keeps the promises of 60-execution, and the jobs that outlive it."""

from collections.abc import Callable
from random import Random
from typing import Any, Literal

import msgspec

from xcelib.states import EndReason
from xceserver.peer import (
    AttemptKey,
    EndAck,
    Ended,
    Fence,
    FromWorker,
    Heartbeat,
    KnownAttempt,
    Resumed,
    Signal,
    Start,
    Started,
    Suspended,
    ToWorker,
    Welcome,
    WorkerHello,
)
from xceserver.sim.clock import SimClock


class SimAttempt(msgspec.Struct):
    """An attempt as the host's disk and process table have it."""

    key: AttemptKey
    seconds: float
    exit_code: int
    state: Literal["starting", "running", "suspended", "ended"] = "starting"
    started_at: float = 0.0
    end: Ended | None = None
    epoch: int = 0  # bumped when what was armed for it is void


class Oracle:
    """What really happened, outside of XCE's own records."""

    def __init__(self) -> None:
        self.starts: dict[AttemptKey, int] = {}
        self.ends: dict[AttemptKey, int] = {}

    def started(self, key: AttemptKey) -> None:
        self.starts[key] = self.starts.get(key, 0) + 1


class SimHost:
    """`is_agent_up`: the worker process; attempts live on without it, but not through a reboot."""

    def __init__(self, name: str, slots: int, *, clock: SimClock, rng: Random, oracle: Oracle) -> None:
        self.name = name
        self.slots = slots
        self.boot = 1
        self.attempts: dict[AttemptKey, SimAttempt] = {}  # journal and processes: survive the agent
        self.is_agent_up = True
        self._clock = clock
        self._rng = rng
        self._oracle = oracle
        self._send: Callable[[FromWorker], None] | None = None
        self.lease_s = 60.0

    # --- the link ---------------------------------------------------------------------------------------------

    def linked(self, send: Callable[[Any], None]) -> None:
        """A link to the controller is open: say hello, then every end that nobody acknowledged."""
        self._send = send
        known = tuple(KnownAttempt(attempt.key, attempt.state) for attempt in self.attempts.values())
        send(
            WorkerHello(
                host=self.name,
                boot_id=f"{self.name}-{self.boot}",
                pid=1,
                version="sim",
                slots=self.slots,
                attributes={"type": "X86_64"},
                counters={"mem": 1 << 34},
                attempts=known,
            )
        )
        for attempt in self.attempts.values():
            if attempt.end is not None:
                send(attempt.end)

    def unlinked(self) -> None:
        self._send = None

    @property
    def is_linked(self) -> bool:
        return self._send is not None

    def beat(self) -> None:
        self._say(Heartbeat({}))

    def _say(self, message: FromWorker) -> None:
        if self.is_agent_up and self._send is not None:
            self._send(message)

    def hear(self, message: ToWorker) -> None:
        if not self.is_agent_up:
            return
        match message:
            case Start(info=info):
                self._start(info.key, info.argv)
            case Signal(key=key):
                self._signal(key, message)
            case EndAck(keys=keys):
                for key in keys:
                    self._forget(key)
            case Fence(keys=keys):
                for key in keys:
                    self._fence(key)
            case Welcome(lease_s=lease_s):
                self.lease_s = lease_s

    # --- attempts ---------------------------------------------------------------------------------------------

    def _start(self, key: AttemptKey, argv: tuple[str, ...]) -> None:
        """`argv` is ("job", seconds, exit code). A start that comes again changes nothing."""
        known = self.attempts.get(key)
        if known is not None:
            if known.end is not None:
                self._say(known.end)
            return
        attempt = self.attempts[key] = SimAttempt(key, float(argv[1]), int(argv[2]))  # the intent is durable
        self._clock.call_later(self._rng.uniform(0.0005, 0.05), lambda: self._run(attempt, attempt.epoch))

    def _run(self, attempt: SimAttempt, epoch: int) -> None:
        if attempt.epoch != epoch or attempt.state != "starting":
            return
        attempt.state = "running"
        attempt.started_at = self._clock.wall()
        self._oracle.started(attempt.key)
        self._say(Started(attempt.key, 1, attempt.started_at))
        self._clock.call_later(attempt.seconds, lambda: self._exit(attempt, epoch))

    def _exit(self, attempt: SimAttempt, epoch: int) -> None:
        if attempt.epoch != epoch or attempt.state == "ended":
            return
        if attempt.state == "suspended":
            self._clock.call_later(1.0, lambda: self._exit(attempt, epoch))
            return
        self._end(attempt, exit_code=attempt.exit_code)

    def _end(self, attempt: SimAttempt, *, exit_code: int | None = None, signal: int = 0, reason: str = "") -> None:
        if attempt.state == "ended":
            return
        attempt.state = "ended"
        attempt.epoch += 1
        attempt.end = Ended(
            key=attempt.key,
            exit_code=exit_code,
            signal=signal,
            reason=reason,
            started_at=attempt.started_at or None,
            ended_at=self._clock.wall(),
        )
        self._say(attempt.end)

    def _signal(self, key: AttemptKey, message: Signal) -> None:
        attempt = self.attempts.get(key)
        if attempt is None or attempt.state == "ended":
            return
        match message.action:
            case "stop" if attempt.state == "running":
                attempt.state = "suspended"
                self._say(Suspended(key, self._clock.wall()))
            case "resume" if attempt.state == "suspended":
                attempt.state = "running"
                self._say(Resumed(key, self._clock.wall()))
            case "kill" | "force":
                self._end(attempt, signal=15, reason=message.reason)

    def _forget(self, key: AttemptKey) -> None:
        attempt = self.attempts.get(key)
        if attempt is not None and attempt.state == "ended":
            del self.attempts[key]

    def _fence(self, key: AttemptKey) -> None:
        attempt = self.attempts.pop(key, None)
        if attempt is not None:
            attempt.epoch += 1
            attempt.state = "ended"

    # --- faults -----------------------------------------------------------------------------------------------

    def reboot(self) -> None:
        """Everything that ran is gone; the journal knows it, and says so at the next hello."""
        self.boot += 1
        for attempt in self.attempts.values():
            if attempt.state != "ended":
                self._end(attempt, reason=EndReason.HOST_LOST)
