"""The agent's book of attempts: the order in which things become durable, are told, and are forgotten."""

from collections.abc import Callable
from typing import Any, cast

from xcelib.states import EndReason
from xceserver.peer import (
    AttemptKey,
    Declined,
    EndAck,
    Ended,
    Fence,
    FromWorker,
    KnownAttempt,
    Signal,
    Start,
    Started,
    StartInfo,
    Suspended,
)
from xceserver.worker.attempts import Attempts
from xceserver.worker.clocks import SystemClock
from xceserver.worker.journal import Acknowledged, Finished, Intent, Record
from xceserver.worker.local import Act, Forget, Forked, Gone, Launch, NotForked, ToLauncher, ToSupervisor
from xceserver.worker.spool import Spool

HOST = "hosta"
KEY = AttemptKey(1, 0, 1)
END = Ended(key=KEY, exit_code=3, ended_at=5.0)


class Around:
    """All that the book talks to, as one list of what was said; syncs are done when the test says so."""

    def __init__(self) -> None:
        self.size = 0
        self.said: list[object] = []
        self.waiting: list[Callable[[], None]] = []
        self.can_hear = True
        self.was_run = False
        self.book = Attempts(
            host=HOST,
            boot_id="boot",
            spool=cast("Spool", self),
            journal=self,
            clock=SystemClock(),
            report=self._report,
            launch=self._launch,
            inquire=lambda key: self.said.append(("inquire", key)),
        )

    def _report(self, message: FromWorker) -> None:
        self.said.append(("report", message))

    def _launch(self, message: ToLauncher) -> None:
        self.said.append(("launch", message))

    def append(self, record: Record, *, done: Callable[[], None] | None = None, is_urgent: bool = False) -> None:
        self.said.append(("journal", record))
        if done is not None:
            self.waiting.append(done)

    def rewrite(self, records: list[Record]) -> None:
        self.said.append(("rewrite", records))

    def tell(self, key: AttemptKey, message: ToSupervisor) -> bool:
        if self.can_hear:
            self.said.append(("tell", message))
        return self.can_hear

    def retire(self, key: AttemptKey) -> None:
        self.said.append(("retire", key))

    def was_retired(self, key: AttemptKey) -> bool:
        return self.was_run

    def sync(self) -> None:
        """What was written is durable."""
        waiting, self.waiting = self.waiting, []
        for done in waiting:
            done()

    def new(self) -> list[object]:
        """What was said since the last look."""
        said, self.said = self.said, []
        return said


def an_info(**fields: Any) -> StartInfo:
    plain: dict[str, Any] = {"name": "", "user": "u", "uid": 1, "gid": 1, "argv": ("true",), "cwd": "/"}
    return StartInfo(key=KEY, **(plain | {"hosts": ((HOST, 1),)} | fields))


INTENT = Intent(KEY, "boot", is_rerunnable=True)


def running() -> Around:
    around = Around()
    around.book.heard(Start(an_info()))
    around.sync()
    around.book.launcher_said(Forked(KEY, 7))
    around.book.supervisor_said(Started(KEY, 8, 1.0))
    around.new()
    return around


def test_the_launcher_hears_of_an_attempt_only_when_its_intent_is_durable() -> None:
    around = Around()
    around.book.heard(Start(an_info()))
    assert around.new() == [("journal", INTENT)]
    around.sync()
    assert around.new() == [("launch", Launch(an_info()))]


def test_a_repeated_start_changes_nothing() -> None:
    around = running()
    around.book.heard(Start(an_info()))
    assert around.new() == []


def test_a_repeated_start_of_an_ended_attempt_gets_its_end_again() -> None:
    around = running()
    around.book.supervisor_said(END)
    around.new()
    around.book.heard(Start(an_info()))
    assert around.new() == [("report", END)]


def test_a_supervisor_goes_only_when_its_end_is_durable() -> None:
    around = running()
    around.book.supervisor_said(END)
    assert around.new() == [("journal", Finished(END)), ("report", END)]
    around.book.supervisor_said(END)  # it repeats it
    assert around.new() == []
    around.sync()
    assert around.new() == [("tell", Forget())]


def test_an_attempt_is_forgotten_when_its_end_is_acknowledged() -> None:
    around = running()
    around.book.supervisor_said(END)
    around.sync()
    assert around.book.known() == (KnownAttempt(KEY, "ended"),)
    around.new()
    around.book.heard(EndAck((KEY,)))
    assert around.new() == [("journal", Acknowledged((KEY,))), ("tell", Forget()), ("retire", KEY)]
    assert around.book.known() == ()


def test_an_acknowledgement_of_what_still_runs_is_no_end() -> None:
    around = running()
    around.book.heard(EndAck((KEY,)))
    assert around.new() == []
    assert around.book.known() == (KnownAttempt(KEY, "running"),)


def test_a_kill_before_the_launch_is_an_end_without_a_start() -> None:
    around = Around()
    around.book.heard(Start(an_info()))
    around.book.heard(Signal(KEY, "kill", EndReason.OWNER, "enough"))
    around.sync()
    intent, finished, (word, end), *later = cast("list[tuple[str, Any]]", around.new())
    assert (intent, word, later) == (("journal", INTENT), "report", [("tell", Forget())])
    assert (end.exit_code, end.reason, end.text) == (None, EndReason.OWNER, "enough")
    assert finished == ("journal", Finished(end))


def test_a_wish_waits_until_there_is_a_supervisor() -> None:
    around = Around()
    around.book.heard(Start(an_info()))
    around.sync()
    around.new()
    around.book.heard(Signal(KEY, "stop"))
    assert around.new() == []
    around.book.launcher_said(Forked(KEY, 7))
    assert around.new() == [("tell", Act("stop"))]


def test_a_kill_that_waits_is_not_overtaken() -> None:
    around = running()
    around.can_hear = False
    around.book.heard(Signal(KEY, "stop"))
    around.book.heard(Signal(KEY, "resume"))
    around.book.heard(Signal(KEY, "kill", "TERM_OWNER"))
    around.book.heard(Signal(KEY, "stop"))
    around.can_hear = True
    (attempt,) = around.book
    around.book.deliver_wish(attempt)
    assert around.new() == [("tell", Act("kill", "TERM_OWNER"))]


def test_a_fenced_attempt_is_ended_unreported_and_forgotten() -> None:
    around = running()
    around.book.heard(Fence((KEY,)))
    ((word, act),) = cast("list[tuple[str, Act]]", around.new())
    assert (word, act.action) == ("tell", "force")
    around.book.supervisor_said(END)
    assert around.new() == [("journal", Finished(END))]
    around.sync()
    assert around.new() == [
        ("tell", Forget()),
        ("journal", Acknowledged((KEY,))),
        ("tell", Forget()),
        ("retire", KEY),
    ]


def test_what_no_supervisor_was_forked_for_is_declined() -> None:
    around = Around()
    around.book.heard(Start(an_info()))
    around.sync()
    around.new()
    around.book.launcher_said(NotForked(KEY, "no memory"))
    assert ("report", Declined(KEY, "no memory")) in around.new()


def test_an_attempt_that_was_run_here_before_is_never_declined() -> None:
    around = Around()
    around.was_run = True
    around.book.heard(Start(an_info()))
    around.sync()
    around.new()
    around.book.launcher_said(NotForked(KEY, "", is_repeat=True))
    reports = [said[1] for said in cast("list[tuple[str, Any]]", around.new()) if said[0] == "report"]
    assert [(type(end), end.reason) for end in reports] == [(Ended, EndReason.START_FAILED)]


def test_a_supervisor_that_is_gone_without_an_end_is_inquired_about() -> None:
    around = running()
    around.book.launcher_said(Gone(KEY, 9))
    assert around.new() == [("inquire", KEY)]


def test_a_supervisor_that_is_gone_after_its_end_is_no_news() -> None:
    around = running()
    around.book.supervisor_said(END)
    around.new()
    around.book.launcher_said(Gone(KEY, 0))
    assert around.new() == []


def test_an_attempt_for_other_hosts_is_declined_without_an_intent() -> None:
    around = Around()
    around.book.heard(Start(an_info(hosts=())))
    assert ("journal", INTENT) not in around.new()
    around.book.heard(Start(an_info()))
    ((word, declined),) = cast("list[tuple[str, Declined]]", around.new())
    assert (word, declined.key) == ("report", KEY)


def test_a_new_link_hears_all_that_may_not_have_been_heard() -> None:
    around = running()
    around.book.supervisor_said(Suspended(KEY, 2.0))
    assert around.book.known() == (KnownAttempt(KEY, "suspended"),)
    assert around.book.reports() == [Started(KEY, 8, 1.0), Suspended(KEY, 2.0)]
    around.book.supervisor_said(END)
    assert around.book.reports() == [Started(KEY, 8, 1.0), END]


def test_an_end_that_nobody_waits_for_sends_its_supervisor_away() -> None:
    around = Around()
    around.book.supervisor_said(END)
    assert around.new() == [("tell", Forget())]
