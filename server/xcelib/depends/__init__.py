"""Conditions on other jobs: read, printed, and judged in a logic of three values."""

from xcelib.depends.grammar import parse
from xcelib.depends.tree import Atom, Condition, Join, Kind, Not, is_by_element, job_ids, names, resolve_names, to_text
from xcelib.depends.verdict import Outcome, Verdict, evaluate

__all__ = [
    "Atom",
    "Condition",
    "Join",
    "Kind",
    "Not",
    "Outcome",
    "Verdict",
    "evaluate",
    "is_by_element",
    "job_ids",
    "names",
    "parse",
    "resolve_names",
    "to_text",
]
