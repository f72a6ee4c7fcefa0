"""Plain valid things with defaults; a test names only what it is about."""

from typing import Any

from xcelib.config.model import ClusterConfig, empty
from xcelib.jobspec import JobSpec
from xcelib.ranges import IndexSet
from xceserver.core import commands as cmd
from xceserver.core.apply import Touched, apply_all
from xceserver.core.decide import Rules, consequences
from xceserver.core.events import AnyEvent, AttemptDispatched
from xceserver.core.invariants import check_invariants
from xceserver.core.records import Actor
from xceserver.core.state import ClusterState
from xceserver.core.view import Plan, Start
from xceserver.peer import AttemptKey, Ended, KnownAttempt, Started, WorkerHello

ANN = Actor("ann", 1000, 1000)
BOB = Actor("bob", 1001, 1001)
ROOT = Actor("root", 0, 0, "admin")


def a_spec(*command: str, **fields: Any) -> JobSpec:
    return JobSpec(command=command or ("true",), **{"cwd": "/tmp", **fields})


def a_hello(host: str = "h1", *, slots: int = 4, attempts: tuple[KnownAttempt, ...] = (), **fields: Any) -> WorkerHello:
    return WorkerHello(
        **{
            "host": host,
            "boot_id": "boot-1",
            "pid": 1,
            "version": "0",
            "slots": slots,
            "attributes": {"type": "X86_64"},
            "counters": {"mem": 8 << 30},
            "attempts": attempts,
            **fields,
        }
    )


class Cluster:
    """The core alone: commands go in, the state moves, every step keeps the invariants."""

    def __init__(self, config: ClusterConfig | None = None, *, hosts: int = 1, slots: int = 4) -> None:
        self.state = ClusterState(config or empty())
        self.rules = Rules(self.state.config)
        self.now = 1000.0
        self.events: list[AnyEvent] = []
        self.effects: list[object] = []
        for number in range(1, hosts + 1):
            self.do(cmd.HostJoins(a_hello(f"h{number}", slots=slots)))

    def do(self, command: cmd.AnyCommand) -> Any:
        """Decide and apply, with all that follows; the answer. Raises `XceError`."""
        self.now += 1.0
        decision = self.rules.decide(self.state, command, now=self.now)
        self.effects = list(decision.effects)
        touched = Touched()
        todo = list(decision.events)
        while todo:
            apply_all(self.state, todo, touched)
            self.events.extend(todo)
            todo = list(consequences(self.state, touched, now=self.now))
        if self.state.config is not self.rules.config:
            self.rules = Rules(self.state.config)
        check_invariants(self.state)
        return decision.answer

    def submit(self, *command: str, actor: Actor = ANN, known: tuple[Any, ...] = (), **fields: Any) -> int:
        """A job; its id."""
        answer = self.do(cmd.Submit(actor=actor, specs=(a_spec(*command, **fields),), known=known))
        return int(answer.job_id)

    def start(self, job_id: int, *, host: str = "h1", count: int = 1, tasks: int = 1) -> AttemptKey:
        """Start elements as a plan would; the key of the last one."""
        plan = Plan(number=1, basis=0, starts=(Start(job_id, host, tasks, count),), waits=())
        before = len(self.events)
        self.do(cmd.AdmitPlan(plan))
        keys = [event.key for event in self.events[before:] if isinstance(event, AttemptDispatched)]
        assert keys, f"nothing of job {job_id} was admitted"
        return keys[-1]

    def started(self, key: AttemptKey, *, host: str = "h1") -> None:
        self.do(cmd.WorkerReports(host, (Started(key, 77, self.now),)))

    def end(self, key: AttemptKey, *, host: str = "h1", exit_code: int | None = 0, **fields: Any) -> None:
        ended = Ended(key=key, exit_code=exit_code, ended_at=self.now, **fields)
        self.do(cmd.WorkerReports(host, (ended,)))

    def run(self, job_id: int, *, exit_code: int = 0) -> None:
        """Start one element and end it."""
        self.end(self.start(job_id), exit_code=exit_code)


def some(*indexes: int) -> IndexSet:
    return IndexSet.of(indexes)
