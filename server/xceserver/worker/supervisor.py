"""One attempt on this host, from its tasks' start to the acknowledged end. It outlives the agent.

Single-threaded; forked from the launcher; a child subreaper in a session of its own. It waits on pids, never on
the end of a pipe, and it is over only when no process of the attempt is left.
"""

import os
import select
import signal
import socket
from collections.abc import Callable
from typing import Final

import msgspec

from xcelib.states import EndReason
from xceserver.peer import Ended, Resumed, Started, StartInfo, Suspended
from xceserver.worker import descendants, folder
from xceserver.worker.clocks import SystemClock
from xceserver.worker.durable import write_record
from xceserver.worker.ender import Ender
from xceserver.worker.ending import Wish, verdict
from xceserver.worker.failure import StartFailed
from xceserver.worker.limits import RunClock, Watch
from xceserver.worker.local import TO_SUPERVISOR, Act, Forget, Query, Sampled, Starting
from xceserver.worker.log import log
from xceserver.worker.mailbox import Mailbox
from xceserver.worker.meter import Meter
from xceserver.worker.output import Pump
from xceserver.worker.preparation import Site, clear, prepare
from xceserver.worker.tasks import TaskSet
from xceserver.worker.wakeup import Wakeup

_LEFTOVER_GRACE_S: Final = 1.0
_SAMPLE_S: Final = 5.0
_LIMIT_SAMPLE_S: Final = 1.0
_FIRST_SAMPLE_S: Final = 0.2
_FLUSH_S: Final = 0.02
_TURN_MAX_S: Final = 1.0  # poll's clock stands still while the machine sleeps, ours does not
_ACK_WAIT_S: Final = 5.0
_REPEAT_S: Final = 0.5


class Supervisor:
    """See the module. `live`, then `report`: nothing of the attempt lives when `live` returns."""

    def __init__(self, info: StartInfo, site: Site, *, ctl: socket.socket, lock: int, mailbox: Mailbox) -> None:
        self._info = info
        self._site = site
        self._ctl = ctl
        self._lock = lock
        self._mailbox = mailbox
        self._clock = SystemClock()
        self._pid = os.getpid()
        self._tasks = TaskSet([lock, ctl.fileno()])
        self._watch = Watch(info.limits, tasks=self._task_count())
        self._ran = RunClock()
        self._meter = Meter()
        self._ender = Ender(self._signal_all)
        self._pump: Pump | None = None
        self._wish: Wish | None = None
        self._started: Started | None = None
        self._suspended: Suspended | None = None
        self._ended: Ended | None = None
        self._has_children = True
        self._is_forgotten = False
        self._is_stop_wanted = False  # it came before the start
        self._next_sample = float("inf")
        self._wakeup = Wakeup()
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}

    def live(self) -> None:
        """Start the tasks and see them to their end."""
        self._listen(self._wakeup.reader, self._wakeup.drain)
        self._listen(self._ctl.fileno(), self._told)
        try:
            self._start()
        except StartFailed as error:
            self._tasks.failure = error.failure
        while not self._is_over():
            self._turn()
        self._finish()

    def close(self) -> None:
        """Let go of what is this object's own; only a process that lives on needs it."""
        self._wakeup.close()
        self._mailbox.close()

    # --- start --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        tasks, self._pump = prepare(self._info, self._site)
        self._mark_begun()
        now = self._clock.steady()
        self._next_sample = now + _FIRST_SAMPLE_S
        self._ran.go(now=now)
        self._tasks.start(tasks)
        self._check_alive()
        for reader in self._tasks.waiting:
            self._listen(reader, lambda reader=reader: self._exec_told(reader))  # type: ignore[misc]
        if self._pump is not None:
            self._pump.close_writer()
            self._listen(self._pump.reader, self._pumped)

    def _mark_begun(self) -> None:
        try:
            folder.mark_begun(self._lock)
        except OSError as error:
            raise StartFailed(f"the attempt's folder cannot be written: {error.strerror}") from error

    def _exec_told(self, reader: int) -> None:
        self._unlisten(reader)
        self._tasks.heard(reader)
        self._check_alive()

    def _check_alive(self) -> None:
        """Tell of the start once all tasks reached exec; where one failed, the others end."""
        if self._tasks.is_alive and self._started is None:
            self._started = Started(self._info.key, self._tasks.first_pid, self._clock.wall())
            self._mailbox.post(self._started)
            if self._is_stop_wanted:
                self._stop(self._clock.steady())
        if self._tasks.failure is not None and self._tasks.is_running:
            self._ender.begin(grace_s=0.0, now=self._clock.steady())
        elif self._ender.is_at_work:
            self._signal_all(signal.SIGTERM)  # the first one came before exec, where it is ignored

    def _task_count(self) -> int:
        return dict(self._info.hosts).get(self._site.host, 1)

    # --- the loop -----------------------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        return not (self._has_children or self._tasks.waiting or self._tasks.is_running)

    def _turn(self) -> None:
        """Sleep until something happens or is due, and see to it."""
        if not self._tasks.first_pid:
            self._has_children = False  # nothing was forked
            return
        left_s = self._due() - self._clock.steady()
        for fd, _ in self._poll.poll(max(0.0, left_s) * 1000):
            self._handlers[fd]()
        self._mailbox.flush()
        self._reap()
        now = self._clock.steady()
        self._ender.turn(now=now)
        self._check_run_limit(now)
        if now >= self._next_sample:
            self._sample(now)

    def _due(self) -> float:
        """When the loop must turn although nothing happens."""
        now = self._clock.steady()
        moments = [self._next_sample]
        left_s = self._run_left_s(now)
        if left_s is not None:
            moments.append(now + min(left_s, _TURN_MAX_S))
        if self._ender.due is not None:
            moments.append(self._ender.due)
        if self._mailbox.is_waiting:
            moments.append(now + _FLUSH_S)
        return min(moments)

    def _run_left_s(self, now: float) -> float | None:
        """Seconds to the run limit; None where none can end the attempt any more."""
        is_open = self._wish is None and self._tasks.is_running
        return self._watch.run_left_s(self._ran.ran_s(now=now)) if is_open else None

    def _listen(self, fd: int, handler: Callable[[], None]) -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, select.POLLIN)

    def _unlisten(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._handlers[fd]

    def _pumped(self) -> None:
        assert self._pump is not None
        if not self._pump.pump():
            self._unlisten(self._pump.reader)

    def _reap(self) -> None:
        """Take every child that ended; what outlives the last task is ended too."""
        had_tasks = self._tasks.is_running
        try:
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    break
                self._meter.reaped(used)
                self._tasks.reaped(pid, status)
        except ChildProcessError:
            self._has_children = False
            return
        if had_tasks and not self._tasks.is_running and self._wish is None:
            self._ender.begin(grace_s=min(_LEFTOVER_GRACE_S, self._info.kill_grace_s), now=self._clock.steady())

    # --- limits and wishes --------------------------------------------------------------------------------------

    def _check_run_limit(self, now: float) -> None:
        left_s = self._run_left_s(now)
        if left_s is not None and left_s <= 0:
            self._end_all(Wish(EndReason.RUNLIMIT, self._watch.run_text()), now=now)

    def _sample(self, now: float) -> None:
        seen = descendants.sample(self._pid)
        self._meter.sampled(seen)
        self._next_sample = now + (_LIMIT_SAMPLE_S if self._watch.needs_sampling else _SAMPLE_S)
        if self._started is not None:
            usage = self._meter.usage(wall_s=self._ran.ran_s(now=now))
            self._mailbox.post(Sampled(self._info.key, usage))
        self._check_sample(seen, now=now)

    def _check_sample(self, seen: descendants.Sample, *, now: float) -> None:
        memory = seen.memory
        if self._watch.memory is not None and memory > self._watch.memory:
            memory = descendants.proportional_memory(self._pid)  # pages shared by many count once
        passed = self._watch.passed(cpu_s=self._meter.cpu_s, memory=memory)
        if passed is not None:
            self._end_all(Wish(*passed), now=now)

    def _end_all(self, wish: Wish, *, now: float) -> None:
        """The first wish is the reason; it comes too late once the last task has ended."""
        if self._is_accepted(wish):
            self._ender.begin(grace_s=self._info.kill_grace_s, now=now)

    def _is_accepted(self, wish: Wish) -> bool:
        is_first = self._tasks.is_running and self._wish is None
        if is_first:
            self._wish = wish
            self._suspended = None  # it is continued to hear of its end
        return is_first

    def _signal_all(self, number: signal.Signals) -> None:
        descendants.signal_all(self._pid, number)

    # --- what the agent says ------------------------------------------------------------------------------------

    def _told(self) -> None:
        while True:
            try:
                raw = self._ctl.recv(1 << 16)
            except BlockingIOError:
                return
            try:
                message = TO_SUPERVISOR.decode(raw)
            except msgspec.DecodeError as error:
                log("supervisor_told_nonsense", key=self._info.key, error=error)
                continue
            match message:
                case Query():
                    self._answer()
                case Act():
                    self._act(message)
                case Forget():
                    self._is_forgotten = self._ended is not None

    def _answer(self) -> None:
        for message in (self._ended,) if self._ended else (self._started or Starting(self._info.key), self._suspended):
            if message is not None:
                self._mailbox.post(message)

    def _act(self, act: Act) -> None:
        now = self._clock.steady()
        match act.action:
            case "kill":
                self._end_all(Wish(act.reason, act.text), now=now)
            case "force":
                self._is_accepted(Wish(act.reason, act.text))
                self._ender.force(now=now)
            case "stop":
                self._stop(now)
            case "resume":
                self._resume(now)

    def _stop(self, now: float) -> None:
        self._is_stop_wanted = self._started is None
        if self._started is None or self._ender.is_at_work:
            return
        descendants.signal_until_settled(self._pid, signal.SIGSTOP)
        self._ran.hold(now=now)
        self._suspended = self._suspended or Suspended(self._info.key, self._clock.wall())
        self._mailbox.post(self._suspended)

    def _resume(self, now: float) -> None:
        self._is_stop_wanted = False
        if self._suspended is not None:
            self._signal_all(signal.SIGCONT)
            self._ran.go(now=now)
            self._suspended = None
        self._mailbox.post(Resumed(self._info.key, self._clock.wall()))

    # --- the end ------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Nothing of the attempt lives any more: judge it, and tidy up."""
        now = self._clock.steady()
        found = verdict(
            self._tasks.outcomes,
            wish=self._wish,
            failure=self._tasks.failure,
            has_cpu_limit="cpu_time" in self._info.limits,
        )
        self._ended = Ended(
            key=self._info.key,
            exit_code=found.exit_code,
            signal=found.signal,
            reason=found.reason,
            text=found.text,
            started_at=self._started.at if self._started else None,
            ended_at=self._clock.wall(),
            usage=self._meter.usage(wall_s=self._ran.ran_s(now=now), is_final=True),
        )
        if self._pump is not None:
            self._pump.close()
        try:
            clear(self._info, self._site)
        except OSError as error:
            log("attempt_not_cleared", key=self._info.key, error=error)

    def report(self) -> None:
        """Repeat the end until the agent has it; an agent that stays away finds it on disk."""
        while not self._is_told() and not self._is_on_disk():
            pass

    def _is_told(self) -> bool:
        """Whether the agent acknowledged the end within its time."""
        assert self._ended is not None
        poll = select.poll()
        poll.register(self._ctl.fileno(), select.POLLIN)
        give_up = self._clock.steady() + _ACK_WAIT_S
        repeat_at = 0.0
        while not self._is_forgotten and (now := self._clock.steady()) < give_up:
            if now >= repeat_at and not self._mailbox.is_waiting:
                repeat_at = now + _REPEAT_S
                self._mailbox.post(self._ended)
            self._mailbox.flush()
            poll.poll((_FLUSH_S if self._mailbox.is_waiting else _REPEAT_S) * 1000)
            self._told()
        return self._is_forgotten

    def _is_on_disk(self) -> bool:
        try:
            write_record(self._site.folder, folder.END, msgspec.json.encode(self._ended))
        except OSError as error:  # full or broken: the agent may come back before it is mended
            log("end_not_written", key=self._info.key, error=error)
            return False
        log("end_left_on_disk", key=self._info.key)
        return True
