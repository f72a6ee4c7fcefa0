"""Identities: one type per kind, and the text forms that people type."""

import re
from typing import NewType

from xcelib.errors import Usage

JobId = NewType("JobId", int)
Index = NewType("Index", int)  # of an array element, from 1; 0 is the one element of a job that is no array
AttemptNumber = NewType("AttemptNumber", int)  # from 1; grows with every dispatch
HostName = NewType("HostName", str)
QueueName = NewType("QueueName", str)
Instant = NewType("Instant", float)  # seconds since the epoch; only a Clock makes one

NAME_MAX = 64
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_PROJECT = re.compile(r"(/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){1,16}\Z")


def is_name(text: str) -> bool:
    """Whether `text` may name a queue, profile, host, group or counter: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`."""
    return _NAME.match(text) is not None


def is_project_path(text: str) -> bool:
    """Whether `text` is a project's path: `/` and a name, at most 16 levels."""
    return _PROJECT.match(text) is not None


def element_text(job_id: int, index: int) -> str:
    """How an element is written: `4711`, or `4711[3]` for an array's."""
    return f"{job_id}[{index}]" if index else str(job_id)


def parse_job_id(text: str) -> JobId:
    """`"4711"` to its id; raises `Usage`."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise Usage(f"`{text}` is not a job id", code="bad_job_id", hints=["a job id is a whole number such as 4711"])
    return JobId(int(text))
