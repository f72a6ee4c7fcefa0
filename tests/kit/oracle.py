"""The oracle outside XCE: what jobs did, as they wrote it themselves to a file that XCE does not know.

Each test job appends `job index attempt host boot start|end` with O_APPEND and O_SYNC, one write a line, so
the file's order is the order of what happened. The checker compares it with what was acknowledged and with
what XCE tells afterwards.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, cast

What: TypeAlias = Literal["start", "end"]
_MARK_SCRIPT: Final = """\
mark() {
  printf '%s %s %s %s %s %s\\n' "$XCE_JOB_ID" "${XCE_JOB_INDEX:-0}" "$XCE_ATTEMPT" "$(uname -n)" \\
    "$(cat /proc/sys/kernel/random/boot_id)" "$1" |
    dd of="$ORACLE" oflag=append,sync conv=notrunc status=none
}
ORACLE=$1
shift
mark start || exit 99
"$@"
status=$?
mark end || exit 99
exit $status
"""


@dataclass(frozen=True, slots=True, order=True)
class Element:
    """One element of a job; `index` is 0 where the job is no array."""

    job_id: int
    index: int = 0


class Mark(NamedTuple):
    """One line of the oracle's file."""

    element: Element
    attempt: int
    host: str
    boot: str
    what: What


def marked(command: Sequence[str], *, oracle: Path) -> list[str]:
    """The argument vector of a job that marks its start, runs `command`, marks its end and exits like it."""
    return ["/bin/sh", "-c", _MARK_SCRIPT, "marked", str(oracle), *command]


def read_marks(oracle: Path) -> list[Mark]:
    """All marks in the order in which they were written; no file yet means no marks."""
    text = oracle.read_text(encoding="utf-8") if oracle.exists() else ""
    return [_parse(line) for line in text.splitlines()]


def _parse(line: str) -> Mark:
    job_id, index, attempt, host, boot, what = line.split(" ")
    assert what in ("start", "end"), f"not a mark: {line!r}"
    return Mark(Element(int(job_id), int(index)), int(attempt), host, boot, cast("What", what))


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is wrong between the promises and the deeds; all empty when nothing is."""

    lost: tuple[Element, ...] = ()  # acknowledged, and never started
    double: tuple[tuple[Element, int], ...] = ()  # an attempt that started more than once (G3)
    rerun: tuple[Element, ...] = ()  # several attempts, and nobody asked for it (G4)
    overlapping: tuple[tuple[Element, int], ...] = ()  # an attempt that ended after a later one began (G5)
    unknown: tuple[Element, ...] = ()  # ran, and nobody was told that it exists
    mistold: tuple[Element, ...] = ()  # XCE says done, and it did not end by itself; or the reverse


def judge(
    marks: Sequence[Mark],
    *,
    acknowledged: Collection[Element],
    unanswered: Collection[Element] = (),
    rerunnable: Collection[Element] = (),
    done: Collection[Element] | None = None,
) -> Findings:
    """Compare what jobs did with what was promised, after everything has come to rest.

    `unanswered` are elements whose submit got no answer: they may have run or not. `rerunnable` may have had
    several attempts. `done` is what XCE says ended well; without it that comparison is left out.
    """
    started = {mark.element for mark in marks if mark.what == "start"}
    promised, possible = set(acknowledged), {*acknowledged, *unanswered}
    return Findings(
        lost=tuple(sorted(promised - started)),
        double=tuple(sorted(doubles(marks))),
        rerun=tuple(sorted(reruns(marks) - set(rerunnable))),
        overlapping=tuple(sorted(overlaps(marks))),
        unknown=tuple(sorted(started - possible)),
        mistold=() if done is None else tuple(sorted(set(done) ^ ended(marks))),
    )


def doubles(marks: Iterable[Mark]) -> set[tuple[Element, int]]:
    """Attempts that started user code more than once."""
    seen: set[tuple[Element, int]] = set()
    twice: set[tuple[Element, int]] = set()
    for mark in marks:
        if mark.what == "start":
            key = (mark.element, mark.attempt)
            (twice if key in seen else seen).add(key)
    return twice


def reruns(marks: Iterable[Mark]) -> set[Element]:
    """Elements of which more than one attempt started user code."""
    first: dict[Element, int] = {}
    return {
        mark.element
        for mark in marks
        if mark.what == "start" and first.setdefault(mark.element, mark.attempt) != mark.attempt
    }


def overlaps(marks: Iterable[Mark]) -> set[tuple[Element, int]]:
    """Attempts that were still at work after a later attempt of their element had begun."""
    newest: dict[Element, int] = {}
    late: set[tuple[Element, int]] = set()
    for mark in marks:
        if mark.what == "start":
            newest[mark.element] = max(mark.attempt, newest.get(mark.element, 0))
        if mark.attempt < newest.get(mark.element, 0):
            late.add((mark.element, mark.attempt))
    return late


def ended(marks: Iterable[Mark]) -> set[Element]:
    """Elements that came to the end of their command by themselves."""
    return {mark.element for mark in marks if mark.what == "end"}
