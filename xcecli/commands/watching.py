"""Asking about a job again and again: with a status line on a terminal, and with patience."""

from collections.abc import Callable
from typing import TypeVar

from xcecli.kit.client import Output, XceClient
from xcecli.kit.deps import Deps
from xcecli.kit.text import harmless
from xcelib.errors import TryAgain, Unreachable, XceError
from xcelib.wire import JobRow

T = TypeVar("T")
# A server that has answered once may be restarting, and jobs run longer than that takes.
PATIENCE_S = (1.0, 2.0, 5.0, *(10.0 for _ in range(60)))
QUIET_POLL_S, SHOWN_POLL_S = 25, 2


class Watcher:
    """One job, as its owner sees it over time."""

    def __init__(self, deps: Deps, job_id: int) -> None:
        self.job_id = job_id
        self._deps = deps
        self._shown = ""
        self._has_answered = False
        self._is_alone = False  # nobody answers, and that was said

    def row(self, *, seconds: int | None = None) -> JobRow:
        """The job when it is final, or as it is after `seconds`."""
        if seconds is None:
            seconds = SHOWN_POLL_S if self._deps.io.err_is_terminal else QUIET_POLL_S
        return self.ask(lambda client: client.wait(self.job_id, seconds=seconds))

    def output(self, *, index: int | None, stream: str, offset: int, attempt: int | None) -> Output:
        return self.ask(
            lambda client: client.output(self.job_id, index=index, stream=stream, offset=offset, attempt=attempt)
        )

    def ask(self, question: Callable[[XceClient], T]) -> T:
        """The answer. A server that has answered before is asked again for ten minutes."""
        for pause in (*PATIENCE_S, None):
            try:
                answer = question(self._deps.client)
            except (Unreachable, TryAgain) as error:
                if pause is None or not self._has_answered or error.code == "host_not_linked":
                    raise
                self._say_alone(error)
                self._deps.client.pause(pause)
            except XceError:
                self._has_answered = True
                raise
            else:
                self._has_answered, self._is_alone = True, False
                return answer
        raise AssertionError("the last try returns or raises")

    def _say_alone(self, error: XceError) -> None:
        if not self._is_alone:
            self.clear()
            self._deps.io.note(harmless(f"xcecli: note: {error.message}; asking again"))
        self._is_alone = True

    def show(self, row: JobRow) -> None:
        """How the job stands, on a terminal only."""
        text = harmless(f"job {row.id}: {row.state}" + (f", {row.reason}" if row.reason else ""))
        text = text[: max(20, self._deps.io.width - 1)]
        if not self._deps.io.err_is_terminal or text == self._shown:
            return
        self._write("\r\x1b[K" + text)
        self._shown = text

    def clear(self) -> None:
        """Take the status line away, before anything else is written."""
        if self._shown:
            self._write("\r\x1b[K")
        self._shown = ""

    def _write(self, text: str) -> None:
        self._deps.io.err.write(text)
        self._deps.io.err.flush()
