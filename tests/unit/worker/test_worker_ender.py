import signal

from xceserver.worker.ender import Ender

TERM, CONT, KILL = signal.SIGTERM, signal.SIGCONT, signal.SIGKILL


def test_processes_are_asked_then_killed_until_none_is_left() -> None:
    sent: list[signal.Signals] = []
    ender = Ender(sent.append)
    due_before = ender.due
    assert due_before is None
    ender.begin(grace_s=30.0, now=100.0)
    assert (sent, ender.due) == ([TERM, CONT], 130.0)
    ender.turn(now=129.9)
    assert sent == [TERM, CONT]
    ender.turn(now=130.0)
    ender.turn(now=131.0)
    assert sent == [TERM, CONT, KILL, KILL]


def test_a_second_wish_shortens_the_grace_and_never_lengthens_it() -> None:
    sent: list[signal.Signals] = []
    ender = Ender(sent.append)
    ender.begin(grace_s=30.0, now=100.0)
    ender.begin(grace_s=1.0, now=101.0)
    assert ender.due == 102.0
    ender.begin(grace_s=60.0, now=101.0)
    assert ender.due == 102.0
    assert sent == [TERM, CONT]


def test_force_kills_at_once() -> None:
    sent: list[signal.Signals] = []
    ender = Ender(sent.append)
    ender.force(now=5.0)
    assert sent == [KILL]
    assert ender.is_at_work
