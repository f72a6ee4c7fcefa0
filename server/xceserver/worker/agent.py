"""The worker's agent: one a host, asyncio, never forks. It can crash or be replaced while jobs run."""

import asyncio
import os
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from xcelib.states import EndReason
from xceserver.peer import Heartbeat, ToWorker, Welcome, WorkerHello
from xceserver.worker import journal, machine
from xceserver.worker.attempt import Attempt
from xceserver.worker.attempts import Attempts
from xceserver.worker.clocks import SystemClock
from xceserver.worker.durable import is_sync_skipped, make_folder, sync_file
from xceserver.worker.folder import open_folder
from xceserver.worker.ground import JOURNAL, bind_agent_socket, hold_lock, load_journal
from xceserver.worker.heard import Heard, HeardFile
from xceserver.worker.inquest import Inquest
from xceserver.worker.launch_options import LauncherOptions
from xceserver.worker.launching import LauncherHandle
from xceserver.worker.local import DATAGRAM_MAX, FROM_SUPERVISOR, Act, FromLauncher, Query
from xceserver.worker.log import log
from xceserver.worker.options import WorkerOptions
from xceserver.worker.session import Dial, Session
from xceserver.worker.spool import Spool
from xceserver.worker.writer import JournalWriter

VERSION: Final = "0.1.0"
_WATCH_S: Final = 0.5
_SETTLE_S: Final = 3.0
_ANSWER_S: Final = 0.01  # what a supervisor needs to say what it is
_PRUNE_S: Final = 3600.0
_DATAGRAMS_MAX: Final = 256  # at one time
_RELAUNCH_WAIT_S: Final = 0.2
OK: Final = 0
FAILED: Final = 70


class Agent:
    """See the module. `sync` makes a file durable; tests count with it or let it fail."""

    def __init__(self, options: WorkerOptions, *, dial: Dial, sync: Callable[[int], None] = sync_file) -> None:
        self._options = options
        self._sync = sync
        self._clock = SystemClock()
        self._boot_id = machine.boot_id()
        self._stopped = asyncio.Event()
        self._status = OK
        self._fence_s: float | None = None
        self._heard_at = self._clock.steady()
        self._session = Session(
            dial,
            hello=self._hello,
            after_hello=lambda: self._attempts.reports(),
            received=self._received,
            heartbeat=self._heartbeat,
            heard=self._heard,
            clock=self._clock,
            rng=random.Random(),
        )

    def stop(self) -> None:
        """End soon; supervisors live on."""
        self._stopped.set()

    async def run(self) -> int:
        """Recover, work until stopped; the exit status."""
        make_folder(self._options.state, mode=0o700)
        os.makedirs(self._options.run, exist_ok=True)
        state = open_folder(self._options.state)
        lock = hold_lock(self._options)
        try:
            await self._work(state)
        finally:
            os.close(lock)
            os.close(state)
        return self._status

    async def _work(self, state: int) -> None:
        if is_sync_skipped():
            log("DURABILITY_IS_OFF", why="XCE_TEST_SKIP_FSYNC is set: a power cut loses acknowledged work")
        self._heard_file = HeardFile(state, boot_id=self._boot_id)
        self._spool = Spool(self._options.spool, mode=0o711 if os.geteuid() == 0 else 0o700)
        self._machine = machine.detect(spool=self._options.spool)
        self._launcher = LauncherHandle(self._launcher_options(), said=self._launcher_said)
        datagrams = bind_agent_socket(self._options.agent_socket)
        await self._launcher.wait_until_free()
        loaded = load_journal(state, path=self._options.state)
        loop = asyncio.get_running_loop()
        self._writer = JournalWriter(
            f"{self._options.state}/{JOURNAL}",
            sync=self._sync,
            deliver=loop.call_soon_threadsafe,
            failed=self._journal_failed,
        )
        self._attempts = Attempts(
            host=self._options.host,
            boot_id=self._boot_id,
            spool=self._spool,
            journal=self._writer,
            clock=self._clock,
            report=self._session.report,
            launch=self._launcher.send,
            inquire=lambda key: self._inquest.add(key),
        )
        self._inquest = Inquest(self._attempts, self._spool, boot_id=self._boot_id, clock=self._clock)
        self._datagrams = datagrams
        self._recover(loaded)
        loop.add_reader(datagrams.fileno(), self._hear_supervisors)
        try:
            await self._launcher.start()
            await self._live()
        finally:
            loop.remove_reader(datagrams.fileno())
            await self._launcher.close()
            if self._status == OK:
                self._writer.close()
            datagrams.close()
            self._spool.close()
            log("worker_stopped", status=self._status)

    async def _live(self) -> None:
        works = [self._link(), self._keep_launcher(), self._inquest.run(), self._watch(), self._prune()]
        tasks = [asyncio.ensure_future(work) for work in works]
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # a bug in one of them stops the worker, with its traceback
        finally:
            for task in (stopped, *tasks):
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task

    async def _link(self) -> None:
        """Talk to the controller, and begin with the truth: what an inquest can tell soon is waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_S):
                await self._inquest.settled()
                while any(attempt.is_asked and not attempt.is_over for attempt in self._attempts):
                    await asyncio.sleep(_ANSWER_S)
        await self._session.run()

    # --- start --------------------------------------------------------------------------------------------------

    def _recover(self, loaded: journal.Loaded) -> None:
        """Take in what journal and spool know; each without an end is looked into."""
        for key, opened in loaded.open.items():
            over = opened.end is not None
            self._attempts.take_in(
                Attempt(
                    key=key,
                    phase="ended" if over else "starting",
                    intent=opened.intent,
                    end=opened.end,
                    is_end_durable=over,
                )
            )
            if not over:
                self._inquest.add(key)
        for key in self._spool.found():
            if key in loaded.acknowledged and key not in loaded.open:
                self._spool.retire(key)
            elif self._attempts.get(key) is None:
                log("folder_without_intent", key=key)
                self._attempts.take_in(Attempt(key=key, phase="starting"))
                self._inquest.add(key)
        self._attempts.rewrite_journal()
        before = self._heard_file.read()
        if before is not None:
            self._heard_at, self._fence_s = before
        log("worker_started", host=self._options.host, pid=os.getpid(), attempts=len(self._attempts.known()))

    def _launcher_options(self) -> LauncherOptions:
        return LauncherOptions(
            host=self._options.host,
            state=self._options.state,
            spool=self._options.spool,
            agent_socket=self._options.agent_socket,
            boot_id=self._boot_id,
            output_max=self._options.output_max,
        )

    # --- the controller -----------------------------------------------------------------------------------------

    def _hello(self) -> WorkerHello:
        slots = self._machine.slots if self._options.slots is None else self._options.slots
        return WorkerHello(
            host=self._options.host,
            boot_id=self._boot_id,
            pid=os.getpid(),
            version=VERSION,
            slots=slots,
            attributes=self._machine.attributes,
            counters=self._machine.counters,
            attempts=self._attempts.known(),
        )

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(machine.load(spool=self._options.spool), self._attempts.usage())

    def _received(self, message: ToWorker) -> None:
        if isinstance(message, Welcome):
            self._fence_s = message.rerun_fence_s
            self._heard(self._clock.steady())
        self._attempts.heard(message)

    def _heard(self, at: float) -> None:
        self._heard_at = at
        if self._fence_s is not None:
            self._heard_file.write(Heard(at, self._fence_s))

    # --- the launcher and the supervisors -------------------------------------------------------------------------

    def _launcher_said(self, message: FromLauncher) -> None:
        self._hear_supervisors()  # an end was sent before its supervisor was gone
        self._attempts.launcher_said(message)

    def _hear_supervisors(self) -> None:
        for _ in range(_DATAGRAMS_MAX):
            try:
                raw = self._datagrams.recv(DATAGRAM_MAX)
            except BlockingIOError:
                return
            try:
                message = FROM_SUPERVISOR.decode(raw)
            except msgspec.DecodeError as error:
                log("nonsense_from_supervisor", error=error)
                continue
            self._attempts.supervisor_said(message)

    async def _keep_launcher(self) -> None:
        """Where the launcher dies, a new one takes its place; folders and locks tell what it had done."""
        while True:
            await self._launcher.run()
            log("launcher_lost")
            await asyncio.sleep(_RELAUNCH_WAIT_S)
            await self._launcher.wait_until_free()
            await self._launcher.start()
            for attempt in self._attempts:
                if not attempt.is_over and attempt.phase != "intended":
                    self._inquest.add(attempt.key)

    async def _watch(self) -> None:
        """What nobody tells: supervisors that die unseen, wishes that wait, a link that is cut for too long."""
        while True:
            await asyncio.sleep(_WATCH_S)
            for attempt in self._attempts:
                self._attempts.deliver_wish(attempt)
                if attempt.is_watched and not attempt.is_over:
                    self._look_at(attempt)
            self._fence_if_cut_off()

    def _look_at(self, attempt: Attempt) -> None:
        if not self._spool.is_live(attempt.key):
            attempt.is_watched = False
            self._inquest.add(attempt.key)
        elif attempt.started is None:
            self._spool.tell(attempt.key, Query())

    def _fence_if_cut_off(self) -> None:
        cut_off_s = self._clock.steady() - self._heard_at
        if self._fence_s is None or cut_off_s <= self._fence_s or self._session.is_linked:
            return  # a link that is dead without saying so is given up within two thirds of the lease
        text = f"the worker was cut off from the controller for {cut_off_s:.0f} s"
        for attempt in self._attempts:
            if attempt.is_rerunnable and not attempt.is_over:
                self._attempts.wish(attempt, Act("force", EndReason.HOST_LOST.value, text))

    async def _prune(self) -> None:
        while True:
            count = self._spool.prune(older_than_s=self._options.retention_s)
            if count:
                log("kept_output_pruned", attempts=count)
            await asyncio.sleep(_PRUNE_S)

    def _journal_failed(self, error: OSError) -> None:
        """Nothing can be promised any more: stop, and let the next start find the truth on disk."""
        log("journal_failed", error=error)
        self._status = FAILED
        self._stopped.set()
