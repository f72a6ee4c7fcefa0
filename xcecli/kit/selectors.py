"""Selectors: `12`, `12[3-7]`, `12-20`, `last`, `name:fit-*`. Resolved on the client."""

import fnmatch
import re
from collections.abc import Iterator, Sequence

from xcecli.kit.asking import confirm
from xcecli.kit.client import XceClient
from xcecli.kit.deps import Deps
from xcelib.errors import Unknown, Usage
from xcelib.ids import parse_job_id
from xcelib.ranges import parse_indexes
from xcelib.wire import JobRow, JobSelection

RANGE_MAX = 10_000
_ELEMENTS = re.compile(r"(\d+)\[([^\]]+)\]\Z", re.ASCII)
_RANGE = re.compile(r"(\d+)-(\d+)\Z", re.ASCII)


def one_job(deps: Deps, word: str) -> tuple[int, int | None]:
    """(job id, element index or None) of a selector that names a single job."""
    found = list(_resolve(deps.client, word))
    if len(found) != 1:
        raise Usage(f"`{word}` names {len(found)} jobs, this takes one", code="which_job")
    elements = found[0].elements
    if elements is None:
        return found[0].id, None
    indexes = parse_indexes(elements)
    if len(indexes) != 1:
        raise Usage(f"`{word}` names {len(indexes)} elements, this takes one", code="which_element")
    return found[0].id, indexes.first


def select_jobs(deps: Deps, words: Sequence[str], *, verb: str, is_yes: bool) -> list[JobSelection]:
    """The selections of all words. More than one job, or a pattern, is asked about on a terminal, and needs
    `--yes` elsewhere."""
    found = list(dict.fromkeys(selection for word in words for selection in _resolve(deps.client, word)))
    is_many = len(found) > 1 or any(word.startswith("name:") for word in words)
    if is_many and not is_yes:
        _confirm(deps, found, verb)
    return found


def _confirm(deps: Deps, found: Sequence[JobSelection], verb: str) -> None:
    shown = ", ".join(str(each.id) for each in found[:8]) + (", …" if len(found) > 8 else "")
    refusal = Usage(
        f"{len(found)} jobs ({shown}) are meant", code="needs_yes", hints=[f"to {verb} them all add `--yes`"]
    )
    confirm(deps, f"{verb} {len(found)} jobs ({shown})?", elsewhere=refusal)


def _resolve(client: XceClient, word: str) -> Iterator[JobSelection]:
    if word == "last":
        yield JobSelection(id=_last(client).id)
    elif word.startswith("name:"):
        yield from (JobSelection(id=row.id) for row in _named(client, word.removeprefix("name:")))
    elif match := _ELEMENTS.match(word):
        yield JobSelection(id=parse_job_id(match[1]), elements=str(parse_indexes(match[2])))
    elif match := _RANGE.match(word):
        first, last = parse_job_id(match[1]), parse_job_id(match[2])
        if not 0 <= last - first < RANGE_MAX:
            raise Usage(f"`{word}` is no range of at most {RANGE_MAX} jobs", code="bad_job_id")
        yield from (JobSelection(id=number) for number in range(first, last + 1))
    else:
        yield JobSelection(id=parse_job_id(word))


def _last(client: XceClient) -> JobRow:
    rows = client.jobs({"scope": "both", "limit": 1}).jobs
    if not rows:
        raise Unknown("you have no jobs", code="unknown_job")
    return rows[0]


def _named(client: XceClient, pattern: str) -> list[JobRow]:
    """Your live jobs whose name matches, in the order of their ids."""
    found: list[JobRow] = []
    cursor: int | None = None
    while True:
        page = client.jobs({"limit": 1000, "cursor": cursor})
        found += [row for row in page.jobs if fnmatch.fnmatchcase(row.name, pattern)]
        cursor = page.cursor
        if cursor is None:
            break
    if not found:
        raise Unknown(f"no live job of yours is named `{pattern}`", code="unknown_job")
    return sorted(found, key=lambda row: row.id)
