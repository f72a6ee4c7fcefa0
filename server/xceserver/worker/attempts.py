"""The agent's book of attempts: what the controller, the launcher and the supervisors say, and what follows.

All methods run on the agent's loop. The order is the contract: an intent is durable before the launcher hears of
the attempt; an end is durable before its supervisor is told to go; an attempt is forgotten once the controller
has acknowledged its end.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from xcelib.states import EndReason
from xceserver.peer import (
    AttemptKey,
    Declined,
    EndAck,
    Ended,
    Fence,
    FromWorker,
    KnownAttempt,
    OutputChunk,
    ReadOutput,
    Resumed,
    Signal,
    Start,
    Started,
    StartInfo,
    Suspended,
    ToWorker,
    Usage,
    Welcome,
)
from xceserver.ports import Clock
from xceserver.worker.attempt import Attempt
from xceserver.worker.journal import Acknowledged, Finished, Intent, Record, records_of
from xceserver.worker.local import (
    Act,
    Forget,
    Forked,
    FromLauncher,
    FromSupervisor,
    Gone,
    Launch,
    NotForked,
    OutputFiles,
    Query,
    ReadAs,
    Sampled,
    Starting,
    ToLauncher,
)
from xceserver.worker.log import log
from xceserver.worker.spool import Spool

_ENDINGS: Final = frozenset({"kill", "force"})
_JOURNAL_MIN: Final = 1 << 20  # bytes; a shorter journal is never rewritten
_OPEN_RECORD: Final = 4096  # bytes; a rewritten journal is far smaller than this for each open attempt


class Writer(Protocol):
    """The journal; see `writer.JournalWriter`."""

    size: int

    def append(self, record: Record, *, done: Callable[[], None] | None = None, is_urgent: bool = False) -> None: ...

    def rewrite(self, records: list[Record]) -> None: ...


class Attempts:
    """`report` tells the controller if it is linked, `launch` the launcher; `inquire` finds out, later, what
    became of an attempt whose supervisor is gone."""

    def __init__(
        self,
        *,
        host: str,
        boot_id: str,
        spool: Spool,
        journal: Writer,
        clock: Clock,
        report: Callable[[FromWorker], None],
        launch: Callable[[ToLauncher], None],
        inquire: Callable[[AttemptKey], None],
    ) -> None:
        self._host = host
        self._boot_id = boot_id
        self._spool = spool
        self._journal = journal
        self._clock = clock
        self._report = report
        self._launch = launch
        self._inquire = inquire
        self._known: dict[AttemptKey, Attempt] = {}

    # --- questions ----------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Attempt]:
        """All as of now; the book may change meanwhile."""
        return iter(list(self._known.values()))

    def get(self, key: AttemptKey) -> Attempt | None:
        return self._known.get(key)

    def known(self) -> tuple[KnownAttempt, ...]:
        return tuple(attempt.known() for attempt in self._known.values())

    def reports(self) -> list[FromWorker]:
        """What follows the hello of every new link."""
        return [message for attempt in self._known.values() for message in attempt.reports()]

    def usage(self) -> tuple[tuple[AttemptKey, Usage], ...]:
        return tuple((a.key, a.usage) for a in self._known.values() if a.started is not None and not a.is_over)

    # --- the controller -----------------------------------------------------------------------------------------

    def heard(self, message: ToWorker) -> None:
        match message:
            case Start(info=info):
                self._start(info)
            case Signal():
                self._signal(message)
            case EndAck(keys=keys):
                self._forget([key for key in keys if key in self._known and self._known[key].is_over])
            case Fence(keys=keys):
                self._fence(keys)
            case ReadOutput():
                self._read(message)
            case Welcome():
                pass  # the session's

    def _start(self, info: StartInfo) -> None:
        attempt = self._known.get(info.key)
        if attempt is not None:  # a repeat: at most its end was not heard
            if attempt.end is not None and not attempt.is_fenced:
                self._report(attempt.end)
            return
        intent = Intent(info.key, self._boot_id, info.is_rerunnable)
        attempt = Attempt(key=info.key, phase="intended", intent=intent, info=info)
        self._known[info.key] = attempt
        if self._host not in dict(info.hosts):
            attempt.intent = None
            self._end(attempt, Declined(info.key, f"host `{self._host}` is not one of the attempt's hosts"))
        else:
            self._journal.append(intent, done=lambda: self._intent_is_durable(attempt), is_urgent=True)

    def _intent_is_durable(self, attempt: Attempt) -> None:
        if not attempt.is_over:
            self.relaunch(attempt)

    def relaunch(self, attempt: Attempt) -> None:
        """Tell the launcher. Also its successor, where the first one died before it made the folder."""
        assert attempt.info is not None
        attempt.phase = "launching"
        self._launch(Launch(attempt.info))

    def _signal(self, message: Signal) -> None:
        attempt = self._known.get(message.key)
        if attempt is None:
            log("signal_for_unknown_attempt", key=message.key, action=message.action)
        elif attempt.end is not None:
            self._report(attempt.end)
        elif attempt.phase == "intended" and message.action in _ENDINGS:
            text = message.text or "ended before it was started"
            self._end(attempt, Ended(key=attempt.key, reason=message.reason, text=text, ended_at=self._clock.wall()))
        else:
            self.wish(attempt, Act(message.action, message.reason, message.text))

    def wish(self, attempt: Attempt, act: Act) -> None:
        """Tell the supervisor, now or as soon as it can hear. The last wish counts, but none overtakes a kill."""
        is_kill_due = attempt.wish is not None and attempt.wish.action in _ENDINGS
        if not is_kill_due or act.action in _ENDINGS:
            attempt.wish = act
        self.deliver_wish(attempt)

    def deliver_wish(self, attempt: Attempt) -> None:
        is_there = attempt.phase in ("starting", "running")
        if attempt.wish is not None and is_there and self._spool.tell(attempt.key, attempt.wish):
            attempt.wish = None

    def _fence(self, keys: Iterable[AttemptKey]) -> None:
        """What is over is forgotten; what lives is ended, and forgotten then."""
        known = [self._known[key] for key in keys if key in self._known]
        self._forget([attempt.key for attempt in known if attempt.is_over])
        for attempt in known:
            if attempt.is_over:
                continue
            log("fenced", key=attempt.key)
            attempt.is_fenced = True
            if attempt.phase == "intended":
                self._end(attempt, Declined(attempt.key, "fenced"))
            else:
                self.wish(attempt, Act("force", EndReason.HOST_LOST.value, "no longer the controller's"))

    def _read(self, asked: ReadOutput) -> None:
        chunk = self._spool.read(asked, lambda files, path: self._ask_as(asked, files, path))
        if chunk is not None:
            self._report(chunk)

    def _ask_as(self, asked: ReadOutput, files: OutputFiles, path: str) -> None:
        self._launch(ReadAs(asked, files.account, path))

    # --- the launcher -------------------------------------------------------------------------------------------

    def launcher_said(self, message: FromLauncher) -> None:
        attempt = self._known.get(message.key)
        if attempt is None:
            return
        match message:
            case Forked():
                attempt.info = None
                if attempt.phase == "launching":
                    attempt.phase = "starting"
                self.deliver_wish(attempt)
            case NotForked(text=text, is_repeat=False):
                self._end(attempt, Declined(attempt.key, text))
            case NotForked() if self._spool.was_retired(attempt.key):
                text = "the attempt was run on this host before, and its end was acknowledged"
                reason = EndReason.START_FAILED.value
                self._end(attempt, Ended(key=attempt.key, reason=reason, text=text, ended_at=self._clock.wall()))
            case NotForked():
                self._inquire(attempt.key)
            case Gone():
                if not attempt.is_over:
                    self._inquire(attempt.key)

    # --- supervisors --------------------------------------------------------------------------------------------

    def supervisor_said(self, message: FromSupervisor) -> None:
        if isinstance(message, OutputChunk):
            self._report(message)
            return
        attempt = self._known.get(message.key)
        if attempt is None:
            self._spool.tell(message.key, Forget())  # the end that it repeats was acknowledged
            return
        self._note(attempt, message)
        self.deliver_wish(attempt)

    def _note(self, attempt: Attempt, message: Starting | Started | Suspended | Resumed | Sampled | Ended) -> None:
        attempt.is_asked = False
        match message:
            case Ended():
                self._ended(attempt, message)
                return
            case _ if attempt.is_over:
                return
            case Starting():
                attempt.phase = "starting"
            case Started():
                attempt.phase, attempt.started = "running", message
            case Suspended():
                attempt.suspended = message
            case Resumed():
                attempt.suspended = None
            case Sampled(usage=usage):
                attempt.usage = usage
        if not isinstance(message, Starting | Sampled) and not attempt.is_fenced:
            self._report(message)

    def _ended(self, attempt: Attempt, end: Ended) -> None:
        if attempt.is_end_durable:
            self._spool.tell(attempt.key, Forget())
        elif attempt.end is None:
            self._end(attempt, end)

    # --- ends ---------------------------------------------------------------------------------------------------

    def conclude(self, key: AttemptKey, end: Ended | Declined) -> None:
        """An end that was found out: its supervisor is dead and nothing of the attempt lives."""
        attempt = self._known.get(key)
        if attempt is not None and not attempt.is_over:
            self._end(attempt, end)

    def _end(self, attempt: Attempt, end: Ended | Declined) -> None:
        """The one end: to the journal and to the controller at once; the supervisor goes when it is durable."""
        attempt.end, attempt.phase = end, "ended"
        attempt.info = attempt.wish = None
        _log_end(end)
        self._journal.append(Finished(end), done=lambda: self._end_is_durable(attempt))
        if not attempt.is_fenced:
            self._report(end)

    def _end_is_durable(self, attempt: Attempt) -> None:
        attempt.is_end_durable = True
        self._spool.tell(attempt.key, Forget())
        if attempt.is_fenced:
            self._forget([attempt.key])

    def _forget(self, keys: list[AttemptKey]) -> None:
        """These ends are acknowledged."""
        if not keys:
            return
        self._journal.append(Acknowledged(tuple(keys)))
        for key in keys:
            del self._known[key]
            self._spool.tell(key, Forget())
            self._spool.retire(key)
        self._keep_journal_short()

    def _keep_journal_short(self) -> None:
        if self._journal.size > _JOURNAL_MIN + _OPEN_RECORD * len(self._known):
            self.rewrite_journal()

    def rewrite_journal(self) -> None:
        """Leave in the journal only what is not forgotten."""
        self._journal.rewrite(records_of({key: a.for_journal() for key, a in self._known.items()}))

    # --- what a new agent, or a new launcher, finds --------------------------------------------------------------

    def take_in(self, attempt: Attempt) -> None:
        """An attempt of an earlier agent."""
        self._known[attempt.key] = attempt

    def adopt(self, attempt: Attempt) -> None:
        """Its supervisor lives and is nobody's child that is known: ask it what it is, and watch its lock."""
        attempt.is_watched = attempt.is_asked = True
        attempt.info = None
        if attempt.phase in ("intended", "launching"):
            attempt.phase = "starting"
        self._spool.tell(attempt.key, Query())


def _log_end(end: Ended | Declined) -> None:
    if isinstance(end, Declined):
        log("declined", key=end.key, text=end.text)
    else:
        log("ended", key=end.key, exit_code=end.exit_code, signal=end.signal, reason=end.reason)
