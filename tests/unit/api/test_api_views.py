"""From records to what the wire shows."""

from typing import Any

import pytest

from tests.kit.builders import ANN, BOB, ROOT, Cluster
from xcelib import wire
from xcelib.jobspec import ArraySpec, Exdata
from xceserver.api import views
from xceserver.core import commands as cmd
from xceserver.core.records import Job


def job_of(cluster: Cluster, job_id: int) -> Job:
    return cluster.state.jobs[job_id]


def row_of(cluster: Cluster, job_id: int) -> wire.JobRow:
    return views.job_row(job_of(cluster, job_id))


def timeline_of(cluster: Cluster, job_id: int) -> list[str]:
    job = job_of(cluster, job_id)
    attempts = [row for element in (job.elements or {}).values() for row in views.element_row(element).attempts]
    return [row.text for row in views.timeline(job, attempts)]


def an_array(cluster: Cluster, last: int = 4, **fields: Any) -> int:
    return cluster.submit(array=ArraySpec(((1, last, 1),)), **fields)


def test_a_waiting_job_shows_what_was_asked() -> None:
    cluster = Cluster()
    row = row_of(cluster, cluster.submit("a", name="fit", priority=70, labels={"k": "v"}))
    assert (row.state, row.name, row.user, row.priority, row.labels) == ("PEND", "fit", "ann", 70, {"k": "v"})
    assert (row.hosts, row.started_at, row.ended_at, row.exit_code, row.is_array, row.counts) == (
        (), None, None, None, False, {},
    )  # fmt: skip


def test_a_running_job_shows_its_host_and_its_tasks() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.start(job_id)
    row = row_of(cluster, job_id)
    assert (row.state, row.hosts, row.tasks) == ("RUN", ("h1",), 1)
    assert row.started_at is not None


@pytest.mark.parametrize(
    ("end", "state", "exit_code", "signal"),
    [
        ({"exit_code": 0}, "DONE", 0, 0),
        ({"exit_code": 3}, "EXIT", 3, 0),
        ({"exit_code": None, "signal": 9}, "EXIT", None, 9),
    ],
)
def test_an_ended_job_shows_how(end: dict[str, Any], state: str, exit_code: int | None, signal: int) -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.end(cluster.start(job_id), **end)
    row = row_of(cluster, job_id)
    assert (row.state, row.exit_code, row.signal) == (state, exit_code, signal)
    assert row.ended_at is not None


def test_a_held_job_is_held() -> None:
    cluster = Cluster()
    assert row_of(cluster, cluster.submit(hold=True)).state == "PSUSP"


def test_a_job_that_was_killed_before_it_ran_has_no_exit_code() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    cluster.do(cmd.Kill(actor=ANN, selections=(cmd.Selection(job_id),), why="wrong input"))
    row = row_of(cluster, job_id)
    assert (row.state, row.exit_code, row.end_reason) == ("EXIT", None, "TERM_OWNER")
    assert timeline_of(cluster, job_id)[-1] == "1 waiting element(s) ended TERM_OWNER by ann: wrong input"


def test_an_array_shows_its_counts_and_its_most_telling_state() -> None:
    cluster = Cluster()
    job_id = an_array(cluster)
    assert (row_of(cluster, job_id).counts, row_of(cluster, job_id).size) == ({"PEND": 4}, 4)
    cluster.run(job_id)
    cluster.run(job_id, exit_code=3)
    cluster.start(job_id)
    row = row_of(cluster, job_id)
    assert (row.state, row.counts) == ("RUN", {"PEND": 1, "RUN": 1, "DONE": 1, "EXIT": 1})
    assert (row.exit_code, row.tasks) == (None, None)


def test_an_array_that_is_over_shows_its_first_failure() -> None:
    cluster = Cluster()
    job_id = an_array(cluster, 3)
    for code in (0, 7, 5):
        cluster.run(job_id, exit_code=code)
    row = row_of(cluster, job_id)
    assert (row.state, row.exit_code, row.counts) == ("EXIT", 7, {"DONE": 1, "EXIT": 2})


def test_the_timeline_tells_the_life_in_order() -> None:
    cluster = Cluster()
    job_id = cluster.submit()
    key = cluster.start(job_id)
    cluster.started(key)
    element = views.element_row((job_of(cluster, job_id).elements or {})[0])
    assert [row.text for row in views.timeline(job_of(cluster, job_id), element.attempts)] == [
        "submitted from unknown",
        "attempt 1 sent to h1",
        "started on h1",
    ]
    assert (element.state, element.attempts[0].attempt, element.attempts[0].ended_at) == ("RUN", 1, None)


def test_a_reason_is_told_in_a_column_and_whole() -> None:
    assert views.short_reason(()) == ""


def test_hosts_show_what_is_there_what_is_used_and_who_closed_them() -> None:
    cluster = Cluster(hosts=2)
    cluster.start(cluster.submit())
    cluster.do(cmd.SetHost(actor=ROOT, host="h2", state="drained", why="new memory"))
    first, second = views.host_rows(cluster.state, {"h1": {"r1m": 0.5}})
    assert (first.name, first.state, first.admin, first.running, first.load) == ("h1", "up", "open", 1, {"r1m": 0.5})
    assert (first.total["slots"], first.used["slots"]) == (4, 1)
    assert (second.admin, second.note and (second.note.by, second.note.why)) == ("drained", ("root", "new memory"))
    assert second.used == {}


def test_queues_show_what_waits_and_runs_and_who_closed_them() -> None:
    cluster = Cluster()
    cluster.start(cluster.submit())
    cluster.submit(actor=BOB)
    cluster.do(cmd.SetQueue(actor=ROOT, queue="normal", action="close", why="full"))
    (row,) = views.queue_rows(cluster.state)
    assert (row.name, row.is_default, row.pending, row.running) == ("normal", True, 1, 1)
    assert row.closed is not None
    assert (row.closed.by, row.closed.why, row.inactive) == ("root", "full", None)


def test_profiles_are_listed_by_name_with_their_hash() -> None:
    rows = list(views.app_rows(Cluster().state))
    assert [row.name for row in rows] == sorted(row.name for row in rows)
    assert all(row.hash for row in rows)


def test_variables_and_limits_of_a_job_are_explained_by_the_same_rows_for_everyone() -> None:
    cluster = Cluster()
    job_id = cluster.submit(exdata=Exdata(env={"A": "1"}))
    assert row_of(cluster, job_id).meta == {}
