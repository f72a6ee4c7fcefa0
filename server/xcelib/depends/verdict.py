"""What a condition is now. The logic has three values, so that "can no longer hold" is known and nothing
pends for ever: once it is met or never, nothing that the jobs still do turns it round."""

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from xcelib.depends.tree import EVERY, Atom, Condition, Join, Not

Verdict = Literal["met", "open", "never"]
_OPPOSITE: Final[dict[Verdict, Verdict]] = {"met": "never", "never": "met", "open": "open"}


class Outcome(msgspec.Struct, frozen=True):
    """How far a job or an element has come. For an array as a whole, `done` is all of it, and
    `exit_codes` are those of the elements that ended EXIT."""

    started: bool
    final: bool
    done: bool
    failed: bool = False
    exit_codes: tuple[int | None, ...] = ()


def evaluate(condition: Condition, *, outcome: Callable[[int, int | None], Outcome], index: int) -> Verdict:
    """What the condition is now, for the element `index` of the waiting job."""
    match condition:
        case Atom(job=job, index=element):
            assert isinstance(job, int), "names are resolved at submit"
            chosen = index if element == EVERY else element
            return _atom_verdict(condition, outcome(job, chosen))
        case Not(operand=operand):
            return _OPPOSITE[evaluate(operand, outcome=outcome, index=index)]
        case Join(op=op, operands=operands):
            found = {evaluate(operand, outcome=outcome, index=index) for operand in operands}
            decides: Verdict = "never" if op == "&&" else "met"
            if decides in found:
                return decides
            return "open" if "open" in found else ("met" if op == "&&" else "never")


def _atom_verdict(atom: Atom, outcome: Outcome) -> Verdict:
    match atom.kind:
        case "started":
            holds = outcome.started or outcome.final
        case "ended":
            holds = outcome.final
        case "done":
            if outcome.failed:
                return "never"
            holds = outcome.done
        case "exit":
            matching = [code for code in outcome.exit_codes if atom.code is None or code == atom.code]
            holds = bool(matching) or (atom.code is None and outcome.failed)
    if holds:
        return "met"
    return "never" if outcome.final else "open"
