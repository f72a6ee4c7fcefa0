"""Deciding: what follows from a command, and what follows from that."""

from collections.abc import Iterator

from xcelib.config.model import ClusterConfig
from xceserver.core import commands as cmd
from xceserver.core import events as ev
from xceserver.core.apply import Touched
from xceserver.core.decision import Decision
from xceserver.core.dependencies import released
from xceserver.core.rules import administration, attempts, control, plans
from xceserver.core.rules.submit import Merges, submit
from xceserver.core.sizing import Sizings
from xceserver.core.state import ClusterState


class Rules:
    """The rules under one configuration, with what they have worked out of it so far."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self.sizings = Sizings(config)
        self.merges = Merges(config)

    def decide(self, state: ClusterState, command: cmd.AnyCommand, *, now: float) -> Decision:
        """Say what follows from a command. Reads the state, changes nothing. Raises `XceError` to refuse."""
        match command:
            case cmd.Submit():
                return submit(state, command, self.merges, now=now)
            case cmd.WorkerReports():
                return attempts.reports(state, command, now=now)
            case cmd.AdmitPlan():
                return plans.admit(state, command, self.sizings, now=now)
            case cmd.Kill():
                return control.kill(state, command, now=now)
            case cmd.Stop():
                return control.stop(state, command, now=now)
            case cmd.Resume():
                return control.resume(state, command, now=now)
            case cmd.Requeue():
                return control.requeue(state, command, now=now)
            case cmd.HostJoins():
                return attempts.join(state, command, now=now)
            case cmd.HostLeaseExpired():
                return attempts.lease_expired(state, command, now=now)
            case cmd.HostGraceExpired():
                return attempts.grace_expired(state, command, now=now)
            case cmd.RefuseStart():
                return attempts.refuse_start(state, command, now=now)
            case cmd.SetHost():
                return administration.set_host(state, command, now=now)
            case cmd.SetQueue():
                return administration.set_queue(state, command, now=now)
            case cmd.ApplyConfig():
                return administration.apply_config(state, command, now=now)


def consequences(state: ClusterState, touched: Touched, *, now: float) -> Iterator[ev.AnyEvent]:
    """What the applied events bring about: dependencies that are met now, or never will be.

    Called until it yields nothing; each round looks only at the dependents of what changed.
    """
    outcomes = {job_id: tuple(ranges) for job_id, ranges in touched.outcomes.items()}
    regated = frozenset(touched.regated)
    touched.outcomes.clear()
    touched.regated.clear()
    yield from released(state, outcomes, regated, now=now)
