"""Every option of the table lands in the request, every field of the request is set by an option or named here."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from xcelib.errors import XceError
from xcelib.jobspec import ArraySpec, Exdata, JobSpec, TaskRange
from xcelib.options.build import LIMITS, Built, Here, build_request
from xcelib.options.table import BY_NAME, TABLE
from xcelib.options.values import parse_words, to_words
from xcelib.quantity import parse_size

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HERE = Here(cwd="/home/ann", umask=0o027, environ={"EDITOR": "vi"}, env_files={"vars": "FROM_FILE=1\n"})

# What each option makes of the request, as JSON; `tests` below fail when an option is not here.
CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "name": (["cfd"], {"name": "cfd"}),
    "array": (["1-9:2%3"], {"array": {"ranges": [[1, 9, 2]], "limit": 3}}),
    "queue": (["night"], {"queue": "night"}),
    "app": (["fluent"], {"app": "fluent"}),
    "project": (["/eng/cfd"], {"project": "/eng/cfd"}),
    "priority": (["70"], {"priority": 70}),
    "label": (["a=1", "b=2"], {"labels": {"a": "1", "b": "2"}}),
    "meta": (["ticket=7"], {"exdata.meta": {"ticket": "7"}}),
    "tasks": (["4-16"], {"tasks": {"min": 4, "max": 16}}),
    "launch": (["tasks"], {"launch": "tasks"}),
    "slots-per-task": (["2"], {"resreq": "rusage[slots=2/task]"}),
    "resreq": (["select[ncpus >= 8]"], {"resreq": "select[ncpus >= 8]"}),
    "run-limit": (["2h"], {"exdata.limits": {"run_time": 7200}}),
    "memory": (["2G"], {"exdata.limits": {"memory": 2 << 30}, "resreq": "rusage[mem=2G/task]"}),
    "limit": (["open_files=64", "stack=8M"], {"exdata.limits": {"open_files": 64, "stack": 8 << 20}}),
    "cwd": (["case1"], {"cwd": "/home/ann/case1"}),
    "stdin": (["in.txt"], {"stdin": "in.txt"}),
    "stdout": (["out.%J"], {"stdout": "out.%J"}),
    "stderr": (["err.%J"], {"stderr": "err.%J"}),
    "env": (["A=1", "EDITOR"], {"exdata.env": {"A": "1", "EDITOR": "vi"}, "explicit_env": ["A", "EDITOR"]}),
    "env-file": (["vars"], {"exdata.env": {"EDITOR": "vi", "FROM_FILE": "1"}, "explicit_env": ["FROM_FILE"]}),
    "export": (["none"], {"exdata.env": {}}),
    "app-param": (["solver=3ddp"], {"exdata.app_params": {"solver": "3ddp"}}),
    "after": (["done(12)"], {"depends": "done(12)"}),
    "on-dependency-failure": (["hold"], {"on_dependency_failure": "hold"}),
    "begin": (["+2h"], {"begin": NOW.timestamp() + 7200}),
    "hold": ([], {"hold": True}),
    "rerun": ([], {"rerunnable": True}),
    "requeue-exit": (["1,3-5"], {"requeue_exit_codes": [1, 3, 4, 5]}),
    "max-requeue": (["3"], {"max_requeue": 3}),
    "success-exit": (["7"], {"success_exit_codes": [7]}),
}
IN_THE_CLIENT = {option.name for option in TABLE if option.field is None}
# Fields that no option of the table sets: what is run, and where it is run from.
WITHOUT_OPTION = {"command", "script", "umask"}
# `explicit_env` is set along with the environment.
ALONG = {"explicit_env"}


def built(given: dict[str, list[str]], *, here: Here = HERE, **more: Any) -> Built:
    """The request of the options as they stand on a command line."""
    values = {
        name: True if BY_NAME[name].kind == "flag" else parse_words(BY_NAME[name], words, now=NOW)
        for name, words in given.items()
    }
    return build_request(values, command=["true"], script=None, here=here, **more)


def field_of(spec: JobSpec, path: str) -> Any:
    """The field at a dotted path, as JSON, its default where it is left out."""
    value: Any = spec
    for name in path.split("."):
        value = getattr(value, name)
    return msgspec.to_builtins(value)


@pytest.mark.parametrize("name", CASES)
def test_an_option_lands_in_its_field_and_nowhere_else(name: str) -> None:
    words, expected = CASES[name]
    spec = built({name: words}).spec
    plain = built({}).spec
    assert {path: msgspec.json.decode(msgspec.json.encode(field_of(spec, path))) for path in expected} == expected
    touched = {path.partition(".")[0] for path in expected}
    for field in set(JobSpec.__struct_fields__) - touched:
        assert getattr(spec, field) == getattr(plain, field), field


def test_every_option_has_a_case() -> None:
    assert set(CASES) | IN_THE_CLIENT == {option.name for option in TABLE}


@pytest.mark.parametrize("name", CASES)
def test_an_option_says_the_field_where_it_takes_effect(name: str) -> None:
    assert BY_NAME[name].field in CASES[name][1]


def test_every_field_of_the_request_is_set_by_an_option_or_by_the_submit_itself() -> None:
    of_options = {path.partition(".")[0] for _, expected in CASES.values() for path in expected}
    assert of_options | WITHOUT_OPTION == set(JobSpec.__struct_fields__)
    assert not of_options & WITHOUT_OPTION


def test_what_is_run_and_where_comes_from_the_submit_itself() -> None:
    spec = build_request({}, command=["a", "b"], script="#!/bin/sh\n", here=HERE).spec
    assert (spec.command, spec.script, spec.umask, spec.cwd) == (("a", "b"), "#!/bin/sh\n", 0o027, "/home/ann")


def test_a_plain_submit_leaves_every_default() -> None:
    spec = built({}).spec
    assert spec == JobSpec(command=("true",), cwd="/home/ann", umask=0o027, exdata=Exdata(env={"EDITOR": "vi"}))


# --- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_every_limit_can_be_given_by_name(name: str) -> None:
    text = {"run_time": "1h", "cpu_time": "1h", "processes": "3600", "open_files": "3600"}.get(name, "3600B")
    assert built({"limit": [f"{name}={text}"]}).spec.exdata.limits == {name: 3600}


def test_memory_by_its_limit_name_reserves_nothing() -> None:
    assert built({"limit": ["memory=2G"]}).spec.resreq == ""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"limit": ["memry=2G"]}, "--limit: there is no limit `memry`"),
        ({"limit": ["open_files=many"]}, "--limit: `open_files`: a whole number, not `many`"),
        ({"limit": ["memory=2"]}, "--limit: `memory`: the size `2` has no unit"),
        ({"limit": ["cpu_time=90"]}, "--limit: `cpu_time`: the duration `90` has no unit"),
        ({"memory": ["2G"], "limit": ["memory=4G"]}, "--limit: `memory` is given by its own option already"),
        ({"run-limit": ["2h"], "limit": ["run_time=1h"]}, "--limit: `run_time` is given by its own option already"),
        ({"meta": ["presets=x"]}, "--meta: `presets` is written by the client itself"),
        ({"priority": ["900"]}, "--priority: at most 100, not `900`"),
        ({"max-requeue": ["1001"]}, "--max-requeue: at most 1000, not `1001`"),
        ({"name": ["x" * 257]}, "--name: at most 256 characters"),
        ({"label": ["k=" + "v" * 257]}, "--label: at most 256 characters"),
        ({"resreq": ["select[" + "x" * 4096 + "]"]}, "--resreq: the requirement has 4104 characters, at most 4096"),
        ({"after": ["done(1)" * 600]}, "--after: at most 4096 characters"),
    ],
)
def test_what_no_server_could_take_is_refused_by_the_option(given: dict[str, list[str]], message: str) -> None:
    with pytest.raises(XceError) as caught:
        built(given)
    assert caught.value.message == message


def test_a_misspelt_limit_is_told_its_neighbour() -> None:
    with pytest.raises(XceError) as caught:
        built({"limit": ["memry=2G"]})
    assert caught.value.hints == ("did you mean `memory`?",)


# --- the terms that options stand for ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "resreq"),
    [
        ({"memory": ["512M"]}, "rusage[mem=512M/task]"),
        ({"memory": ["512M"], "resreq": ["rusage[mem=1G]"]}, "rusage[mem=1G]"),
        ({"memory": ["512M"], "resreq": ["rusage[swp=1G]"]}, "rusage[swp=1G, mem=512M/task]"),
        ({"memory": ["512M"], "resreq": ["select[ncpus > 2]"]}, "select[ncpus > 2] rusage[mem=512M/task]"),
        ({"memory": ["512M"], "resreq": ["ncpus > 2"]}, "select[ncpus > 2] rusage[mem=512M/task]"),
        ({"slots-per-task": ["4"], "memory": ["1G"]}, "rusage[slots=4/task, mem=1G/task]"),
        ({"slots-per-task": ["4"], "resreq": ["rusage[mem=1G]"]}, "rusage[mem=1G, slots=4/task]"),
        ({"resreq": ["select[a]", "select[b || c]"]}, "select[(a) && (b || c)]"),
    ],
)
def test_options_become_terms_beside_the_requirement(given: dict[str, list[str]], resreq: str) -> None:
    assert built(given).spec.resreq == resreq


def test_slots_said_twice_are_refused() -> None:
    with pytest.raises(XceError) as caught:
        built({"slots-per-task": ["4"], "resreq": ["rusage[slots=2/task]"]})
    assert caught.value.message == "`slots=4/task` is asked for beside `slots=2/task` of `--resreq`"


def test_a_term_cannot_join_an_alternative_requirement() -> None:
    with pytest.raises(XceError, match="stands alone"):
        built({"slots-per-task": ["4"], "resreq": ["{select[a]} || {select[b]}"]})


# --- places and metadata -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "cwd"), [("/abs", "/abs"), ("sub/dir", "/home/ann/sub/dir"), (".", "/home/ann/.")])
def test_a_relative_directory_begins_at_that_of_the_submit(given: str, cwd: str) -> None:
    assert built({"cwd": [given]}).spec.cwd == cwd


def test_what_the_client_adds_stands_beside_the_users_metadata() -> None:
    spec = built({"meta": ["ticket=7"]}, meta={"presets": [{"name": "small"}]}).spec
    assert spec.exdata.meta == {"ticket": "7", "presets": [{"name": "small"}]}


def test_values_are_in_base_units() -> None:
    spec = built({"array": ["1-3"], "tasks": ["4"], "memory": ["1.5G"]}).spec
    assert spec.array == ArraySpec(((1, 3, 1),))
    assert spec.tasks == TaskRange(4, 4)
    assert spec.exdata.limits["memory"] == parse_size("1536M")


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"begin", "hold", "rerun"}))
def test_an_option_written_out_again_means_the_same(name: str) -> None:
    option = BY_NAME[name]
    value = parse_words(option, CASES[name][0], now=NOW)
    again = [word for word in to_words(option, value) if word != f"--{name}"]
    assert parse_words(option, again, now=NOW) == value
