"""When transactions are committed: at once for whoever waits, together for the rest, never later than the delay."""

from collections.abc import Callable

from xceserver.controller.commits import BURST, DELAY_S, Committer
from xceserver.controller.leases import Leases
from xceserver.core.commands import HostGraceExpired, HostLeaseExpired
from xceserver.sim.clock import SimClock
from xceserver.store.writer import Transaction


class Desk:
    """A committer whose writer counts, on a clock that the test moves."""

    def __init__(self) -> None:
        self.clock = SimClock()
        self.sizes: list[int] = []
        self.done: list[int] = []
        self.committer = Committer(
            self,  # type: ignore[arg-type]  # all that it needs of a writer is `commit`
            clock=self.clock,
            call_later=self.clock.call_later,
            call_soon_threadsafe=lambda act, *given: act(*given),
        )
        self._given = 0

    def commit(self, transaction: Transaction, done: Callable[[], None]) -> None:
        self.sizes.append(sum(len(rows) for _, rows in transaction.statements))
        done()

    def give(self, *, is_urgent: bool = False) -> None:
        self._given += 1
        number, transaction = self._given, Transaction()
        transaction.add("x", [(number,)])
        self.committer.is_urgent |= is_urgent
        self.committer.commit(transaction, lambda: self.done.append(number))
        self.committer.settle()

    def tired(self) -> "Desk":
        """The budget is used up."""
        for _ in range(int(BURST) * 2):
            self.give(is_urgent=True)
        self.sizes.clear()
        self.done.clear()
        return self


def test_whoever_waits_is_committed_at_once_whatever_the_budget() -> None:
    desk = Desk().tired()
    desk.give(is_urgent=True)
    assert desk.sizes == [1]


def test_on_an_idle_cluster_nothing_waits() -> None:
    desk = Desk()
    desk.give()
    assert desk.sizes == [1]


def test_the_rest_rides_along_with_the_next_urgent_commit() -> None:
    desk = Desk().tired()
    desk.give()
    desk.give()
    assert desk.sizes == []
    desk.give(is_urgent=True)
    assert desk.sizes == [3]
    assert len(desk.done) == 3


def test_the_rest_never_waits_longer_than_the_delay() -> None:
    desk = Desk().tired()
    desk.give()
    began = desk.clock.steady()
    while not desk.sizes and desk.clock.step():
        pass
    assert desk.sizes == [1]
    assert desk.clock.steady() - began <= DELAY_S + 1e-9


def test_a_timer_that_was_overtaken_waits_for_what_came_later() -> None:
    desk = Desk().tired()
    desk.give()
    desk.clock.call_later(DELAY_S * 0.9, lambda: desk.give(is_urgent=True))
    desk.clock.call_later(DELAY_S * 0.95, desk.give)
    for _ in range(3):
        desk.clock.step()
    assert desk.sizes == [2]
    desk.clock.step()
    assert desk.sizes == [2, 1]
    assert desk.clock.steady() >= DELAY_S * 1.95 - 1e-9


def test_a_lease_runs_out_once_and_then_its_grace() -> None:
    leases = Leases({"h1": True}, now=0.0)

    def due(now: float) -> list[object]:
        return list(leases.due(now=now, lease_s=10.0, grace_s=50.0))

    assert due(10.0) == []
    assert due(10.1) == [HostLeaseExpired("h1")]
    assert due(60.0) == []
    assert due(60.2) == [HostGraceExpired("h1")]
    assert due(999.0) == []


def test_a_host_that_is_heard_again_has_a_new_lease() -> None:
    leases = Leases({"h1": True}, now=0.0)
    assert list(leases.due(now=11.0, lease_s=10.0, grace_s=50.0)) == [HostLeaseExpired("h1")]
    leases.renew("h1", now=12.0)
    assert list(leases.due(now=21.0, lease_s=10.0, grace_s=50.0)) == []
