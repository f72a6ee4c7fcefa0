"""Dependency expressions: `done(12) && exit("prep", 3) || !started(14[2])`.

    expr  := and ("||" and)*          and := not ("&&" not)*          not := "!" not | "(" expr ")" | atom
    atom  := ("done" | "exit" | "ended" | "started") "(" job ["," code] ")" | job
    job   := ID | ID "[" INDEX "]" | ID "[*]" | '"' NAME '"'

A bare job means `done`. `[*]` is element by element: element i waits for element i of the other array.
The logic has three values, so that "can no longer hold" is known and nothing pends for ever.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import msgspec

from xcelib.errors import Usage

TEXT_MAX = 4096
NODES_MAX = 256
DEPTH_MAX = 32
EXIT_CODE_MAX = 255

Kind = Literal["done", "exit", "ended", "started"]
KINDS: tuple[Kind, ...] = ("done", "exit", "ended", "started")
Verdict = Literal["met", "open", "never"]
_OPPOSITE: dict[Verdict, Verdict] = {"met": "never", "never": "met", "open": "open"}
EVERY: Literal["*"] = "*"


class Outcome(msgspec.Struct, frozen=True):
    """How far a job or an element has come. For an array as a whole, `done` is all of it, and
    `exit_codes` are those of the elements that ended EXIT."""

    started: bool
    final: bool
    done: bool
    failed: bool = False
    exit_codes: tuple[int | None, ...] = ()


class Atom(msgspec.Struct, frozen=True, tag=True):
    kind: Kind
    job: int | str  # a name until it is resolved
    index: int | Literal["*"] | None = None
    code: int | None = None


class Not(msgspec.Struct, frozen=True, tag=True):
    operand: "Condition"


class Join(msgspec.Struct, frozen=True, tag=True):
    op: Literal["&&", "||"]
    operands: "tuple[Condition, ...]"


Condition = Atom | Not | Join

_TOKEN = re.compile(r'\s*(?:(\d{1,18})|([A-Za-z_]\w*)|"([^"\\]{0,256})"|(&&|\|\||[!()\[\],*]))', re.ASCII)


class BadDependency(Usage):
    """The expression is wrong at `column` (from 0)."""

    code = "bad_dependency"

    def __init__(self, *, text: str, column: int, expected: str, hint: str = "") -> None:
        detail = f"  {text}\n  {' ' * column}^" if text.isprintable() and len(text) <= 200 else ""
        message = f"the dependency is wrong at column {column + 1}: expected {expected}"
        super().__init__(message, detail=detail, hints=[hint] if hint else [])
        self.column = column


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []  # kind (number, word, name, sign), text, column
        self.at = 0
        self.nodes = 0
        self._scan()

    def _scan(self) -> None:
        position = 0
        end = len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None:
                column = position + len(self.text[position:]) - len(self.text[position:].lstrip())
                hint = "job names stand in double quotes" if self.text[column] == "'" else ""
                raise BadDependency(text=self.text, column=column, expected="a condition such as `done(12)`", hint=hint)
            kind = ("number", "word", "name", "sign")[(match.lastindex or 1) - 1]
            self.tokens.append((kind, match[match.lastindex or 1], match.start(match.lastindex or 1)))
            position = match.end()
        self.tokens.append(("end", "", end))

    def fail(self, expected: str, hint: str = "") -> BadDependency:
        return BadDependency(text=self.text, column=self.tokens[self.at][2], expected=expected, hint=hint)

    def takes(self, sign: str) -> bool:
        if self.tokens[self.at][:2] == ("sign", sign):
            self.at += 1
            return True
        return False

    def need(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.fail(f"`{sign}`")

    def number(self, what: str) -> int:
        kind, text, _ = self.tokens[self.at]
        if kind != "number":
            raise self.fail(what)
        self.at += 1
        return int(text)

    def joined(self, op: Literal["&&", "||"], depth: int) -> Condition:
        if depth > DEPTH_MAX:
            raise self.fail(f"at most {DEPTH_MAX} levels of parentheses")
        part = self.negated if op == "&&" else lambda depth: self.joined("&&", depth)
        operands = [part(depth)]
        while self.takes(op):
            operands.append(part(depth))
        return operands[0] if len(operands) == 1 else Join(op, tuple(operands))

    def negated(self, depth: int) -> Condition:
        self.nodes += 1
        if self.nodes > NODES_MAX or depth > DEPTH_MAX:
            raise self.fail(f"at most {NODES_MAX} conditions and {DEPTH_MAX} levels")
        if self.takes("!"):
            return Not(self.negated(depth + 1))
        if self.takes("("):
            inner = self.joined("||", depth + 1)
            self.need(")")
            return inner
        return self.atom()

    def atom(self) -> Condition:
        kind, text, _ = self.tokens[self.at]
        if kind in {"number", "name"}:
            job, index = self.job()
            return Atom("done", job, index)
        for known in KINDS:
            if kind == "word" and text.lower() == known:
                self.at += 1
                self.need("(")
                job, index = self.job()
                code = self.code() if known == "exit" and self.takes(",") else None
                self.need(")")
                return Atom(known, job, index, code)
        hint = f'write "{text}" in double quotes for a job name' if kind == "word" else ""
        raise self.fail("`done`, `exit`, `ended`, `started` or a job id", hint)

    def code(self) -> int:
        kind, text, _ = self.tokens[self.at]
        if kind != "number" or int(text) > EXIT_CODE_MAX:
            raise self.fail(f"an exit code from 0 to {EXIT_CODE_MAX}")
        self.at += 1
        return int(text)

    def job(self) -> tuple[int | str, int | Literal["*"] | None]:
        kind, text, _ = self.tokens[self.at]
        if kind == "name" and text:
            self.at += 1
            return text, None
        number = self.number('a job id or "name"')
        if not self.takes("["):
            return number, None
        index: int | Literal["*"] = EVERY if self.takes("*") else self.number("an element index or `*`")
        self.need("]")
        return number, index


@lru_cache(maxsize=4096)
def parse(text: str) -> Condition:
    """The condition of the text; raises `BadDependency`."""
    if len(text) > TEXT_MAX:
        raise Usage(f"the dependency has {len(text)} characters, at most {TEXT_MAX}", code="bad_dependency")
    parser = _Parser(text)
    condition = parser.joined("||", 0)
    if parser.tokens[parser.at][0] != "end":
        raise parser.fail("`&&`, `||` or the end")
    return condition


def to_text(condition: Condition, *, is_inner: bool = False) -> str:
    """The canonical text: minimal parentheses, one space round binary operators."""
    match condition:
        case Atom(kind=kind, job=job, index=index, code=code):
            where = f'"{job}"' if isinstance(job, str) else str(job)
            element = "" if index is None else f"[{index}]"
            return f"{kind}({where}{element}{'' if code is None else f', {code}'})"
        case Not(operand=operand):
            return f"!{to_text(operand, is_inner=True)}"
        case Join(op=op, operands=operands):
            needs_no = ("&&",) if op == "||" else ()
            parts = [to_text(o, is_inner=not (isinstance(o, Join) and o.op in needs_no)) for o in operands]
            text = f" {op} ".join(parts)
            return f"({text})" if is_inner else text


def atoms(condition: Condition) -> list[Atom]:
    match condition:
        case Atom():
            return [condition]
        case Not(operand=operand):
            return atoms(operand)
        case Join(operands=operands):
            return [atom for operand in operands for atom in atoms(operand)]


def job_ids(condition: Condition) -> frozenset[int]:
    return frozenset(atom.job for atom in atoms(condition) if isinstance(atom.job, int))


def names(condition: Condition) -> frozenset[str]:
    """The job names that are not resolved yet."""
    return frozenset(atom.job for atom in atoms(condition) if isinstance(atom.job, str))


def is_by_element(condition: Condition) -> bool:
    return any(atom.index == EVERY for atom in atoms(condition))


def resolve_names(condition: Condition, newest: Callable[[str], int]) -> Condition:
    """The condition with every name replaced by the id that `newest` gives for it."""
    match condition:
        case Atom(job=str(name)):
            return msgspec.structs.replace(condition, job=newest(name))
        case Not(operand=operand):
            return Not(resolve_names(operand, newest))
        case Join(op=op, operands=operands):
            return Join(op, tuple(resolve_names(operand, newest) for operand in operands))
    return condition


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
