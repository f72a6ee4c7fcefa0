"""From options to the request: every option lands, every field is reached, layers keep their order."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from xcelib.errors import Usage
from xcelib.jobspec import ArraySpec, JobSpec, TaskRange
from xcelib.options.build import Here, build_request
from xcelib.options.directives import BadDirectives, read_directives
from xcelib.options.layers import Layer, disagreements, merge_layers
from xcelib.options.table import BY_NAME, TABLE, Option, named
from xcelib.options.values import from_preset, parse_words, to_words
from xcelib.speccheck import faults_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HERE = Here(cwd="/home/ann", umask=0o022, environ={"PATH": "/bin", "HOME": "/home/ann"}, env_files={"f.env": "A=1\n"})

# option -> (the words given, the field of the spec, the value that it must have there)
LANDS: dict[str, tuple[list[str], str, Any]] = {
    "name": (["fit"], "name", "fit"),
    "array": (["1-9:2%3"], "array", ArraySpec(ranges=((1, 9, 2),), limit=3)),
    "queue": (["night"], "queue", "night"),
    "app": ([""], "app", ""),
    "project": (["/eng"], "project", "/eng"),
    "priority": (["70"], "priority", 70),
    "label": (["k=v"], "labels", {"k": "v"}),
    "meta": (["k=v"], "exdata.meta", {"k": "v"}),
    "tasks": (["4-16"], "tasks", TaskRange(min=4, max=16)),
    "launch": (["tasks"], "launch", "tasks"),
    "slots-per-task": (["2"], "resreq", "rusage[slots=2/task]"),
    "resreq": (["mem > 4G", "order[-mem]"], "resreq", "select[mem > 4G] order[-mem]"),
    "run-limit": (["2h"], "exdata.limits", {"run_time": 7200}),
    "memory": (["2G"], "exdata.limits", {"memory": 2 << 30}),
    "limit": (["open_files=64", "cpu_time=1m"], "exdata.limits", {"open_files": 64, "cpu_time": 60}),
    "cwd": (["sub"], "cwd", "/home/ann/sub"),
    "stdin": (["in"], "stdin", "in"),
    "stdout": (["out.%J"], "stdout", "out.%J"),
    "stderr": (["err"], "stderr", "err"),
    "env": (["B=2", "HOME"], "explicit_env", ("B", "HOME")),
    "env-file": (["f.env"], "explicit_env", ("A",)),
    "export": (["none"], "exdata.env", {}),
    "app-param": (["solver=3d"], "exdata.app_params", {"solver": "3d"}),
    "after": (["done(12)"], "depends", "done(12)"),
    "on-dependency-failure": (["hold"], "on_dependency_failure", "hold"),
    "begin": (["+2h"], "begin", NOW.timestamp() + 7200),
    "hold": ([], "hold", True),
    "rerun": ([], "rerunnable", True),
    "requeue-exit": (["3-4"], "requeue_exit_codes", (3, 4)),
    "max-requeue": (["2"], "max_requeue", 2),
    "success-exit": (["7"], "success_exit_codes", (7,)),
}
# Fields that no option sets: what is run, and what is taken from where the submit happens.
BY_OTHER_MEANS = {"command", "script", "umask", "exdata", "explicit_env"}
IN_THE_CLIENT = {option.name for option in TABLE if option.field is None}


def value_of(option: Option, words: list[str]) -> Any:
    return True if option.kind == "flag" else parse_words(option, words, now=NOW)


def built(**values: Any) -> JobSpec:
    return build_request(values, command=["true"], script=None, here=HERE).spec


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - IN_THE_CLIENT))
def test_every_option_lands_where_the_table_says(name: str) -> None:
    words, field, expected = LANDS[name]
    spec: Any = built(**{name: value_of(BY_NAME[name], words)})
    for part in field.split("."):
        spec = getattr(spec, part)
    assert spec == expected


def test_every_field_of_a_job_is_reached() -> None:
    reached = {field.split(".")[0] for _, field, _ in LANDS.values()} | BY_OTHER_MEANS
    assert reached == {field.name for field in msgspec.structs.fields(JobSpec)}


@pytest.mark.parametrize("name", sorted(LANDS.keys() - {"begin"}))
def test_an_option_written_out_again_means_the_same(name: str) -> None:
    option = BY_NAME[name]
    value = value_of(option, LANDS[name][0])
    words = to_words(option, value)
    assert words[0] == f"--{name}"
    given = [word for word in words if word != f"--{name}"]
    assert value_of(option, given) == value


def test_memory_is_reserved_unless_the_requirement_says_otherwise() -> None:
    memory = parse_words(BY_NAME["memory"], ["2G"], now=NOW)
    assert built(memory=memory).resreq == "rusage[mem=2G/task]"
    assert built(memory=memory, resreq="rusage[mem=1G]").resreq == "rusage[mem=1G]"


def test_slots_said_twice_are_refused() -> None:
    with pytest.raises(Usage, match="slots=2/task"):
        built(**{"slots-per-task": 2, "resreq": "rusage[slots=4]"})


def test_an_unknown_limit_is_named_with_the_nearest() -> None:
    with pytest.raises(Usage, match="open_file") as caught:
        built(limit={"open_file": "3"})
    assert caught.value.hints == ("did you mean `open_files`?",)


def test_likely_secrets_stay_here_and_are_named_never_shown() -> None:
    environ = {"PATH": "/bin", "API_TOKEN": "hush", "SSH_AUTH_SOCK": "/x", "XCE_TOP": "/t", "BASH_FUNC_f%%": "() {}"}
    made = build_request({}, command=["true"], script=None, here=Here(cwd="/", umask=0, environ=environ))
    assert made.spec.exdata.env == {"PATH": "/bin"}
    assert "API_TOKEN" in made.notes[0]
    assert "hush" not in " ".join(made.notes)


def test_a_secret_passes_when_it_is_named() -> None:
    here = Here(cwd="/", umask=0, environ={"API_TOKEN": "hush"})
    made = build_request({"env": {"API_TOKEN": None}}, command=["true"], script=None, here=here)
    assert made.spec.exdata.env == {"API_TOKEN": "hush"}
    assert made.notes == ()


def test_names_of_xce_are_refused() -> None:
    with pytest.raises(Usage, match="`XCE_JOB_ID`"):
        built(env={"XCE_JOB_ID": "1"})


def test_later_layers_win_and_tables_merge_by_key() -> None:
    merged = merge_layers(
        [
            Layer(
                "preset:a",
                {"queue": "normal", "env": {"A": "1", "B": "1"}, "resreq": "select[type == X] rusage[mem=1G]"},
            ),
            Layer("directive", {"env": {"B": "2"}, "resreq": "rusage[mem=2G, slots=2]"}),
            Layer("command line", {"queue": "night"}),
        ]
    )
    assert merged == {
        "queue": "night",
        "env": {"A": "1", "B": "2"},
        "resreq": "select[type == X] rusage[mem=2G, slots=2]",
    }


def test_two_presets_that_disagree_are_said_with_the_winner() -> None:
    notes = disagreements([Layer("preset:a", {"queue": "x"}), Layer("preset:b", {"queue": "y"})])
    assert notes == ["--queue is set to `x` (preset:a), `y` (preset:b); the last one wins"]


@pytest.mark.parametrize("name", sorted(named("preset")))
def test_a_preset_takes_the_types_that_the_option_has(name: str) -> None:
    option = BY_NAME[name]
    with pytest.raises(Usage, match=name):
        from_preset(option, object(), now=NOW)


# --- directives -----------------------------------------------------------------------------------------------------


def test_directives_stand_in_the_leading_comments() -> None:
    script = "#!/bin/sh\n# a job\n#XCE --name fit -J\n"
    with pytest.raises(BadDirectives):
        read_directives(script, now=NOW)
    good = '#!/bin/sh\n# a job\n\n#XCE --name "a b"\n#XCE -n 4\n#XCE --env A=1\n#XCE --env B=2\n#XCE --hold\necho\n'
    values = read_directives(good, now=NOW)
    assert values == {"name": "a b", "tasks": TaskRange(min=4, max=4), "env": {"A": "1", "B": "2"}, "hold": True}


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("#XCE --nmae x", "`--nmae`"),
        ("#XCE -z", "`-z`"),
        ("#XCE", "empty"),
        ("#XCE --name", "needs a value"),
        ("#XCE --name x y", "after the value"),
        ("#XCE --hold yes", "takes no value"),
        ("#XCE --memory 4096", "no unit"),
        ("#XCE --preset small", "command line only"),
        ("#XCE --name 'x", "quotes"),
        ("#XCE: --name x", "`:`"),
        ("#SBATCH --name x", "no directive"),
        ("#BSUB -J x", "no directive"),
        ("echo\n#XCE --name x", "after the first command"),
        ("#XCE --name a\n#XCE --name b", "stands already"),
        ("#XCE --array 5-1", "array"),
    ],
)
def test_a_wrong_directive_is_an_error_with_its_line(line: str, word: str) -> None:
    with pytest.raises(BadDirectives) as caught:
        read_directives(f"#!/bin/sh\n{line}\n", now=NOW)
    assert word in caught.value.detail
    assert caught.value.faults[0].path.startswith("line ")


# --- what is right for any job ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"command": ()}, "no_command"),
        ({"command": ("",)}, "no_command"),
        ({"command": ("a\0b",)}, "bad_text"),
        ({"command": ("\ud800",)}, "bad_text"),
        ({"command": ("x" * 200_000,)}, "too_large"),
        ({"script": "#!/bin/sh\n" + "x" * (1 << 20)}, "too_large"),
        ({"name": "a\x1b[2J"}, "bad_name"),
        ({"name": "a\u202eb"}, "bad_name"),
        ({"cwd": "here"}, "bad_path"),
        ({"stdout": ""}, "bad_path"),
        ({"stdout": "x" * 5000}, "bad_path"),
        ({"stdout": "%q"}, "bad_placeholder"),
        ({"project": "eng"}, "bad_project"),
        ({"labels": {"": "x"}}, "bad_label"),
        ({"labels": {f"k{n}": "x" for n in range(65)}}, "too_large"),
        ({"env": {"XCE_X": "1"}}, "reserved_variable"),
        ({"env": {"": "1"}}, "bad_variable"),
        ({"env": {"A=B": "1"}}, "bad_variable"),
        ({"env": {"A": "\0"}}, "bad_variable"),
        ({"env": {f"V{n}": "" for n in range(1001)}}, "too_large"),
        ({"env": {"A": "x" * 200_000}}, "too_large"),
        ({"array": ArraySpec(ranges=((5, 1, 1),))}, "bad_array"),
        ({"array": ArraySpec(ranges=())}, "bad_array"),
    ],
)
def test_a_wrong_job_has_a_fault_for_its_wrong_place(fields: dict[str, Any], code: str) -> None:
    env = fields.pop("env", {})
    spec = JobSpec(**{"command": ("true",), "cwd": "/", **fields})
    spec = msgspec.structs.replace(spec, exdata=msgspec.structs.replace(spec.exdata, env=env))
    assert [fault.code for fault in faults_of(spec)] == [code]


def test_meta_is_bounded_in_depth() -> None:
    deep: Any = 1
    for _ in range(70):
        deep = [deep]
    spec = JobSpec(command=("true",), cwd="/")
    spec = msgspec.structs.replace(spec, exdata=msgspec.structs.replace(spec.exdata, meta={"a": deep}))
    assert [fault.code for fault in faults_of(spec)] == ["too_deep"]
