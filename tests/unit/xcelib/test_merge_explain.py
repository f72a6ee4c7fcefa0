"""Effective values as rows."""

import msgspec

from xcelib.config.model import Profile, ProfileResreq, QueueConfig, RusageDefault, empty
from xcelib.jobspec import TaskRange
from xcelib.merge import Effective, Own, merge_job
from xcelib.merge.explain import hook_text, rows
from xcelib.secrets import MASK
from xcelib.wire import ExplainRow

PROFILE = Profile(
    name="p",
    tasks=TaskRange(min=2, max=8),
    resreq=ProfileResreq(select="type == X86_64", rusage=(RusageDefault(resource="mem", default=4 << 30),)),
    env={"ARCH": "lnamd64", "API_TOKEN": "hunter2"},
    limits={"memory": 8 << 30},
    annotations={"portal.icon": "fluent"},
    pre_job_exec=("/opt/pre", "a b"),
)


def table(own: Own) -> dict[str, ExplainRow]:
    config = msgspec.structs.replace(
        empty(),
        applications={"p": PROFILE},
        queues={"short": QueueConfig(name="short", max={"run_time": 3600})},
        default_queue="short",
    )
    merged = merge_job(own, config)
    assert isinstance(merged, Effective), merged
    return {row.attribute: row for row in rows(merged)}


OWN = Own(user="ann", app="p", resreq="ncpus > 8 ", env={"B": "2", "DB_PASSWORD": "swordfish", "API_TOKEN": "mine"})


def test_every_value_has_its_origin() -> None:
    found = table(OWN)
    values = {name: (row.value, row.origins) for name, row in found.items() if not name.startswith("env.")}
    assert values == {
        "app": ("p", ("job",)),
        "queue": ("short", ("cluster",)),
        "kind": ("batch", ("profile:p",)),
        "mode": ("direct", ("default",)),
        "launch": ("script", ("default",)),
        "tasks": ("2", ("profile:p",)),
        "select": ("type == X86_64 && ncpus > 8", ("profile:p", "job")),
        "rusage.mem": ("4G per task", ("profile:p",)),
        "limits.memory": ("8G", ("profile:p",)),
        "limits.run_time": ("1h", ("queue:short",)),
        "pre_job_exec": ("/opt/pre 'a b'", ("profile:p",)),
        "annotations.portal.icon": ("fluent", ("profile:p",)),
    }


def test_only_what_the_job_gave_is_pinned() -> None:
    found = table(OWN)
    assert {name for name, row in found.items() if row.is_pinned} == {"app", "env.B", "env.DB_PASSWORD"}


def test_secrets_are_masked_where_they_won_and_where_they_lost() -> None:
    found = table(OWN)
    assert found["env.DB_PASSWORD"].value == MASK
    assert found["env.API_TOKEN"].value == MASK
    assert found["env.API_TOKEN"].shadowed == (("job", MASK),)
    assert found["env.ARCH"].value == "lnamd64"
    assert "hunter2" not in repr(found)
    assert "swordfish" not in repr(found)


def test_a_lowered_amount_shows_what_it_shadows() -> None:
    row = table(msgspec.structs.replace(OWN, resreq="rusage[mem=1G]"))["rusage.mem"]
    assert (row.value, row.origins, row.shadowed) == ("1G per task", ("job",), (("profile:p", "4G"),))
    assert row.is_pinned


def test_a_compound_is_one_row() -> None:
    config = empty()
    merged = merge_job(Own(user="ann", resreq="1*{mem > 1G} + 2*{rusage[mem=2G]}"), config)
    assert isinstance(merged, Effective)
    found = {row.attribute: row.value for row in rows(merged)}
    assert found["resreq"] == "1*{select[mem > 1G]} + 2*{rusage[mem=2G/task]}"
    assert found["tasks"] == "3"


def test_a_hook_is_one_line() -> None:
    assert hook_text("a | b") == "a | b"
    assert hook_text(("a", "", "b c")) == "a '' 'b c'"
