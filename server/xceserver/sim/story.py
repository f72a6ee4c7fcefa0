"""One story from a seed: load and faults for a while, then calm, then every job must have ended truthfully."""

from random import Random
from typing import Any

import msgspec

from xcelib.jobspec import ArraySpec, JobSpec
from xcelib.ranges import IndexSet
from xcelib.states import EndReason, State
from xcelib.wire import Submitted
from xceserver.controller.controller import Request
from xceserver.core import commands as cmd
from xceserver.core.records import Actor, Job
from xceserver.sim.cluster import SimCluster
from xceserver.sim.disk import NAME
from xceserver.store.database import Reader

ANN = Actor("ann", 1000, 1000)
ROOT = Actor("root", 0, 0, "admin")
CALM_STEPS_MAX = 60_000


class Asked(msgspec.Struct):
    """A submit as its client sees it: repeated with the same key until it is answered."""

    key: str
    spec: JobSpec
    job_id: int = 0
    refusal: str = ""
    answers: set[int] = msgspec.field(default_factory=set)


class Story:
    """`run` tells it; an AssertionError says what went wrong, `trace` how it came to that."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.cluster = SimCluster(seed)
        self.rng = Random(seed ^ 0x5EED)
        self.asked: list[Asked] = []
        self.requeued: set[int] = set()

    def run(self, *, steps: int = 400) -> list[str]:
        """Returns the trace: equal for equal seeds."""
        try:
            for number in range(steps):
                self._act()
                for _ in range(self.rng.randrange(1, 12)):
                    self.cluster.clock.step()
                if number % 10 == 0:
                    self.cluster.compare_recovery()
                    self.cluster.check_reasons()
            self._calm()
            self._check()
        finally:
            self.cluster.close()
        return self.cluster.trace

    # --- what happens -----------------------------------------------------------------------------------------

    def _act(self) -> None:
        actions = (
            (30, self._submit),
            (10, self._repeat),
            (6, self._kill),
            (5, self._stop),
            (6, self._resume),
            (3, self._requeue),
            (3, self._set_host),
            (2, self._set_queue),
            (4, self._crash_controller),
            (3, self._crash_scheduler),
            (4, self._crash_agent),
            (2, self._reboot),
            (2, self._jump),
            (1, self._silence),
        )
        weights = [weight for weight, _ in actions]
        self.rng.choices([action for _, action in actions], weights)[0]()

    def _submit(self) -> None:
        rng = self.rng
        seconds, code = rng.choice((0.01, 0.3, 3.0, 30.0)), rng.choice((0, 0, 0, 1, 3))
        array = ArraySpec(ranges=((1, rng.randrange(2, 9), 1),), limit=rng.choice((0, 0, 2)))
        known = [asked.job_id for asked in self.asked if asked.job_id]
        spec = JobSpec(
            command=("job", str(seconds), str(code)),
            cwd="/",
            name=rng.choice(("", "a", "b")),
            array=array if rng.random() < 0.25 else None,
            resreq=rng.choice(("", "", "rusage[slots=2]", "rusage[mem=4G]")),
            priority=rng.choice((50, 50, 90)),
            depends=f"{rng.choice(('done', 'ended', 'exit'))}({rng.choice(known)})"
            if known and rng.random() < 0.2
            else None,
            on_dependency_failure=rng.choice(("cancel", "hold", "run")),
            hold=rng.random() < 0.05,
            rerunnable=rng.random() < 0.3,
            requeue_exit_codes=(3,) if rng.random() < 0.3 else (),
            max_requeue=2,
        )
        asked = Asked(f"1000:{len(self.asked)}", spec)
        self.asked.append(asked)
        self._send(asked)

    def _send(self, asked: Asked) -> None:
        def reply(answer: Any) -> None:
            if isinstance(answer, Exception):
                asked.refusal = str(answer)
                return
            submitted = msgspec.json.decode(answer, type=Submitted) if isinstance(answer, msgspec.Raw) else answer
            asked.job_id = submitted.job_id
            asked.answers.add(asked.job_id)
            assert len(asked.answers) == 1, f"one request, two jobs: {asked.answers}"

        command = cmd.Submit(actor=ANN, specs=(asked.spec,), known=self._known(asked.spec))
        self.cluster.ask(command, reply, Request(asked.key, msgspec.msgpack.encode(asked.spec)))

    def _known(self, spec: JobSpec) -> tuple[Job, ...]:
        """The finished job that a dependency names, as the desk would look it up."""
        if spec.depends is None or self.cluster.controller is None:
            return ()
        job_id = int(spec.depends.partition("(")[2].rstrip(")"))
        if job_id in self.cluster.controller.state.jobs:
            return ()
        job = Reader(self.cluster.disk.connection, NAME).job(job_id)
        return (job,) if job is not None and job.ended_at is not None else ()

    def _repeat(self) -> None:
        """A client that got no answer asks again with the same key, and so does one that did."""
        if self.asked:
            self._send(self.rng.choice(self.asked))

    def _selection(self) -> tuple[cmd.Selection, ...]:
        state = self.cluster.controller.state if self.cluster.controller is not None else None
        if state is None or not state.jobs:
            return ()
        job = state.jobs[self.rng.choice(sorted(state.jobs))]
        some = IndexSet.of((1, 2)) if job.is_array and self.rng.random() < 0.5 else None
        return (cmd.Selection(job.id, some),)

    def _ask(self, command: cmd.AnyCommand) -> None:
        self.cluster.ask(command, lambda _: None)

    def _kill(self) -> None:
        if chosen := self._selection():
            self._ask(cmd.Kill(actor=ANN, selections=chosen, is_force=self.rng.random() < 0.2))

    def _stop(self) -> None:
        if chosen := self._selection():
            self._ask(cmd.Stop(actor=ANN, selections=chosen))

    def _resume(self) -> None:
        if chosen := self._selection():
            self._ask(cmd.Resume(actor=ANN, selections=chosen))

    def _requeue(self) -> None:
        if chosen := self._selection():
            self.requeued.add(chosen[0].job_id)
            self._ask(cmd.Requeue(actor=ANN, selections=chosen))

    def _set_host(self) -> None:
        host = self.rng.choice(sorted(self.cluster.hosts))
        if self.cluster.controller is not None and host in self.cluster.controller.state.hosts:
            state = self.rng.choice(("open", "open", "closed", "drained"))
            self._ask(cmd.SetHost(actor=ROOT, host=host, state=state, why="sim"))  # type: ignore[arg-type]

    def _set_queue(self) -> None:
        action = self.rng.choice(("activate", "activate", "inactivate"))
        self._ask(cmd.SetQueue(actor=ROOT, queue="normal", action=action))  # type: ignore[arg-type]

    def _crash_controller(self) -> None:
        if self.cluster.controller is None:
            self.cluster.start_controller()
        else:
            self.cluster.crash_controller()

    def _crash_scheduler(self) -> None:
        self.cluster.crash_scheduler()

    def _crash_agent(self) -> None:
        host = self.cluster.hosts[self.rng.choice(sorted(self.cluster.hosts))]
        host.is_agent_up = not host.is_agent_up
        host.unlinked()
        self.cluster.note(f"agent of {host.name} up: {host.is_agent_up}")

    def _reboot(self) -> None:
        host = self.cluster.hosts[self.rng.choice(sorted(self.cluster.hosts))]
        host.unlinked()
        host.reboot()
        self.cluster.note(f"{host.name} reboots")

    def _jump(self) -> None:
        self.cluster.clock.jump_wall(self.rng.choice((-3e8, -60.0, 60.0, 3e8)))

    def _silence(self) -> None:
        """Time goes by: leases and graces run out."""
        end = self.cluster.clock.steady() + self.rng.choice((30.0, 100.0, 500.0))
        while self.cluster.clock.steady() < end and self.cluster.clock.step():
            pass

    # --- the end ----------------------------------------------------------------------------------------------

    def _calm(self) -> None:
        """Heal everything; every job must come to its end within a bounded number of steps."""
        cluster = self.cluster
        cluster.faults.calm()
        if cluster.controller is None:
            cluster.start_controller()
        for host in cluster.hosts.values():
            host.is_agent_up = True
        assert cluster.controller is not None
        for name in sorted(cluster.controller.state.hosts):
            self._ask(cmd.SetHost(actor=ROOT, host=name, state="open"))
        self._ask(cmd.SetQueue(actor=ROOT, queue="normal", action="activate"))
        for asked in self.asked:
            self._send(asked)
        for step in range(CALM_STEPS_MAX):
            live = [job for job in cluster.controller.state.jobs.values() if job.ended_at is None]
            if not live and cluster.controller.is_durable:
                return
            if step % 200 == 0:
                for job in live:
                    self._ask(cmd.Resume(actor=ROOT, selections=(cmd.Selection(job.id),)))
            cluster.clock.step()
        assert not live, f"{len(live)} jobs never ended, the first: {live[0]}"

    def _check(self) -> None:
        reader = Reader(self.cluster.disk.connection, NAME)
        for asked in self.asked:
            assert asked.job_id or asked.refusal, f"{asked.key} was never answered"
            if asked.job_id:
                job = reader.job(asked.job_id)
                assert job is not None, f"job {asked.job_id} was acknowledged and is lost"
                self._check_job(reader, job, asked.spec)
        for key, count in self.cluster.oracle.starts.items():
            assert count == 1, f"attempt {key} ran user code {count} times"

    def _check_job(self, reader: Reader, job: Job, spec: JobSpec) -> None:
        assert job.ended_at is not None, f"job {job.id} is not final"
        for element in reader.elements(job.id):
            for attempt in element.past:
                if not attempt.reason and attempt.exit_code is not None:
                    assert attempt.exit_code == int(spec.command[2]), f"job {job.id}: a wrong exit code: {attempt}"
            ran = [a for a in element.past if a.started_at is not None and a.reason != EndReason.REQUEUE]
            is_free = spec.rerunnable or spec.requeue_exit_codes or job.id in self.requeued
            assert is_free or len(ran) <= 1, f"job {job.id}[{element.index}] ran again unasked: {element.past}"
            assert element.state in (State.DONE, State.EXIT), f"job {job.id}[{element.index}] is {element.state}"


def tell(seed: int, *, steps: int = 400) -> list[str]:
    """One story; raises AssertionError with the seed in a note."""
    story = Story(seed)
    try:
        return story.run(steps=steps)
    except Exception as error:  # whatever went wrong is raised again, with the seed that repeats it
        error.add_note(f"seed {seed}; the last of {len(story.cluster.trace)} lines: {story.cluster.trace[-12:]}")
        raise
