"""What people read, to the letter: the help of every command, and the tables at 80 columns."""

from collections.abc import Callable
from typing import Any

import pytest

import xceadmin.main
import xcecli.main
from tests.kit.cli import Answer, a_world, run_client
from tests.kit.command_tree import commands_of
from tests.kit.goldens import FOLDER, assert_golden
from xcelib import wire
from xcelib.jobspec import Exdata, JobSpec, TaskRange

PROGRAMS = {"xcecli": xcecli.main, "xceadmin": xceadmin.main}
PATHS = [path for name, module in PROGRAMS.items() for path in commands_of(name, module.app)]


def golden_of(path: str) -> str:
    return f"help/{path.replace(' ', '-')}.txt"


@pytest.mark.parametrize("path", PATHS)
def test_help_is_as_kept(path: str, bless: bool, capsys: pytest.CaptureFixture[str]) -> None:
    program, *words = path.split()
    assert run_client(PROGRAMS[program].main, [*words, "--help"]).status == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert_golden(golden_of(path), shown, bless=bless)


NOW = 1_772_366_400.0  # rows are so old that their age is the same for years to come: see `ages`


def a_row(**fields: Any) -> wire.JobRow:
    plain = {"id": 12, "user": "ann", "state": "RUN", "queue": "normal", "submitted_at": NOW}
    return wire.JobRow(**{**plain, **fields})


ROWS = (
    a_row(id=4713, name="cfd-large", state="PEND", reason="no host fits now (3 hosts: 2 not reachable, 1 too small)"),
    a_row(id=4712, name="fit", is_array=True, size=100, counts={"RUN": 10, "PEND": 80, "DONE": 10}, app="fluent"),
    a_row(id=4711, hosts=("node1", "node2"), name="a name that is much too long for any table"),
    a_row(id=9, user="bob", state="UNKWN", queue="night", reason="\x1b[31mred", name="\u202eevil"),
)
ENDED = (
    a_row(id=7, state="DONE", started_at=NOW + 60, ended_at=NOW + 3660, exit_code=0),
    a_row(id=6, state="EXIT", started_at=NOW, ended_at=NOW + 5, exit_code=3, name="fit"),
    a_row(id=5, state="EXIT", ended_at=NOW, signal=9, end_reason="TERM_MEMLIMIT"),
)
EXPLAIN = (
    wire.ExplainRow(attribute="queue", value="night", origins=("job",), is_pinned=True),
    wire.ExplainRow(attribute="limits.run_time", value="8h", origins=("profile:fluent",), shadowed=(("queue", "24h"),)),
    wire.ExplainRow(attribute="env.A", value="1", origins=("job",), is_pinned=True),
)
USAGE = wire.UsageRow(cpu_s=3500.0, max_rss=3 << 30, wall_s=3600.0)
DETAIL = wire.JobDetail(
    row=ENDED[0],
    spec=JobSpec(
        command=("./run.sh", "case 1"), cwd="/home/ann", tasks=TaskRange(4, 4), exdata=Exdata(limits={"memory": 4 << 30})
    ),
    effective=EXPLAIN,
    attempts=(
        wire.AttemptRow(
            attempt=1, hosts=("node1",), dispatched_at=NOW, started_at=NOW + 1, ended_at=NOW + 9, end_reason="TERM_REQUEUE"
        ),
        wire.AttemptRow(
            attempt=2, hosts=("node2",), dispatched_at=NOW + 50, started_at=NOW + 60, ended_at=NOW + 3660, exit_code=0,
            usage=USAGE,
        ),
    ),
    timeline=(
        wire.TimelineRow(at=NOW, text="submitted from node1"),
        wire.TimelineRow(at=NOW + 3660, text="ended: exit code 0"),
    ),
)  # fmt: skip
NOTE = wire.NoteRow(by="root", at=NOW, why="new memory")
TABLES: dict[str, tuple[str, list[str], str, Any]] = {
    "jobs": ("xcecli", ["jobs"], "GET /jobs", wire.JobPage(jobs=ROWS)),
    "jobs-all": ("xcecli", ["jobs", "-a"], "GET /jobs", wire.JobPage(jobs=ROWS)),
    "history": ("xcecli", ["history"], "GET /jobs", wire.JobPage(jobs=ENDED)),
    "job": ("xcecli", ["job", "7"], "GET /jobs/7", DETAIL),
    "explain": (
        "xcecli", ["explain", "7"], "GET /jobs/7/explain",
        wire.ExplainTable(rows=EXPLAIN, warnings=("mem is low",), notes=("`solver` has its default",)),
    ),
    "why": (
        "xcecli", ["why", "4713"], "GET /jobs/4713/why",
        wire.WhyReport(
            row=ROWS[0],
            reasons=(
                wire.WhyReason(code="no_host_fits", text="no host fits now (3 hosts)", count=3,
                               hosts={"not reachable": 2, "too small: slots 8 of 4": 1}),
            ),
            as_of=NOW,
        ),
    ),
    "why-not": ("xcecli", ["why", "7"], "GET /jobs/7/why", wire.WhyReport(row=ENDED[0])),
    "queues": (
        "xcecli", ["queues"], "GET /queues",
        wire.QueueList(queues=(
            wire.QueueRow(name="short", description="up to an hour", priority=60, running=3, max={"run_time": 3600}),
            wire.QueueRow(name="normal", priority=50, pending=12, is_default=True, max={"slots": 64, "mem": 64 << 30}),
            wire.QueueRow(name="night", priority=40, closed=NOTE, inactive=NOTE),
        )),
    ),
    "hosts": (
        "xcecli", ["hosts"], "GET /hosts",
        wire.HostList(hosts=(
            wire.HostRow(name="node1", state="up", total={"slots": 8, "mem": 64 << 30}, used={"slots": 3, "mem": 12 << 30},
                         running=3, load={"r1m": 2.5}),
            wire.HostRow(name="node2", state="lost", admin="drained", note=NOTE, total={"slots": 8, "mem": 64 << 30}),
            wire.HostRow(name="node3", state="declared"),
        )),
    ),
    "apps": (
        "xcecli", ["apps"], "GET /apps",
        wire.AppList(apps=(
            wire.AppRow(name="fluent", description="Ansys Fluent", hash="h", params=("solver", "version"), is_default=True),
            wire.AppRow(name="octave", hash="h"),
        )),
    ),
    "presets": (
        "xcecli", ["preset", "list", "--remote"], "GET /presets",
        wire.PresetList(presets=(wire.PresetRow(name="fluent-small", description="wind tunnel " * 8, hash="h"),)),
    ),
    "admin-hosts": ("xceadmin", ["host", "list"], "GET /hosts", wire.HostList(hosts=())),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_a_table_is_as_kept_and_fits_80_columns(case: str, bless: bool) -> None:
    program, argv, route, value = TABLES[case]
    answers: dict[str, Answer] = {route: (200, value)}
    main: Callable[..., int] = PROGRAMS[program].main
    ran = run_client(main, argv, answers, a_world())
    assert (ran.status, ran.err) == (0, "")
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []
    assert "\x1b" not in ran.out
    assert_golden(f"tables/{case}.txt", _ages(ran.out), bless=bless)


def _ages(text: str) -> str:
    """The ages of jobs grow by the day: they are left out."""
    import re

    return re.sub(r"\b\d+d\b", "[AGE]", text)


def test_every_golden_belongs_to_a_test() -> None:
    kept = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.txt")}
    assert kept == {golden_of(path) for path in PATHS} | {f"tables/{case}.txt" for case in TABLES}
