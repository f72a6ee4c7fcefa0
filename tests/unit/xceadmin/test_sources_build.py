"""From source files to a configuration: same meaning, same bytes; every fault told, each at its place."""

import json
from pathlib import Path

import pytest

from xceadmin.config.build import BuildResult, build, build_files
from xceadmin.config.report import to_github, to_json, to_text
from xcelib.config.canonical import to_bytes
from xcelib.config.codes import CATALOGUE, NOT_SUPPORTED_YET
from xcelib.config.model import ClusterConfig, HostConfig, empty
from xcelib.jobspec import TaskRange

TESTS = Path(__file__).parents[2]


def built(**files: str) -> ClusterConfig:
    result = result_of(**files)
    assert result.faults == ()
    assert result.config is not None
    return result.config


def result_of(**files: str) -> BuildResult:
    return build_files({f"{name}.yaml": text.encode() for name, text in files.items()})


def places(result: BuildResult) -> list[tuple[str, str]]:
    return [(str(fault.place), fault.code) for fault in result.faults]


def test_no_files_mean_the_defaults(tmp_path: Path) -> None:
    assert build_files({}).config == empty()
    assert build(tmp_path / "absent").config == empty()
    assert build(tmp_path).config == empty()


def test_files_without_content_mean_the_defaults_too() -> None:
    assert built(queues="", applications="# none\n", hosts="{}\n") == empty()


def test_root_jobs_need_a_word_once_there_is_an_xce_yaml() -> None:
    assert not built(xce="cluster: bluebird\n").allow_root_jobs
    assert built(xce="allow_root_jobs: true\n").allow_root_jobs


def test_timers_and_history_are_seconds() -> None:
    config = built(xce="lease_timeout: 10s\nhost_loss_grace: 1m\nkill_grace: 500ms\nhistory: {keep: 2d}\n")
    assert (config.timers.lease_timeout_s, config.timers.host_loss_grace_s) == (10.0, 60.0)
    assert config.timers.kill_grace_s == 0.5
    assert config.history.keep_s == 172_800


def test_hosts_of_a_range_are_alike() -> None:
    config = built(
        hosts="hosts:\n  - name: node[01-03]\n    slots: 4\n    attributes: {type: X86_64, ncpus: 8}\n"
        "    counters: {mem: 8G, gpus: 2}\nhost_groups:\n  - {name: two, hosts: ['node[01-02]']}\n",
        queues="queues:\n  - {name: normal, hosts: [two]}\n",
    )
    assert list(config.hosts) == ["node01", "node02", "node03"]
    assert config.hosts["node02"] == HostConfig(
        name="node02", slots=4, attributes={"type": "X86_64", "ncpus": 8}, counters={"mem": 8 << 30, "gpus": 2}
    )
    assert config.host_groups == {"two": ("node01", "node02")}


def test_memory_unit_reads_bare_sizes() -> None:
    text = "applications:\n  - name: p\n    limits: {memory: 4096}\n    resreq: {select: 'mem > 1024'}\n"
    profile = built(xce="memory_unit: M\n", applications=text).applications["p"]
    assert profile.limits == {"memory": 4 << 30}


def test_a_profile_named_default_replaces_the_built_in_one() -> None:
    config = built(applications="applications:\n  - name: default\n    tasks: {min: 3, max: 3}\n")
    assert config.applications["default"].tasks == TaskRange(min=3, max=3)
    assert list(built(applications="applications:\n  - name: p\n").applications) == ["default", "p"]


ORDERED = """
applications:
  - name: a
    users: [ann, bob]
    resreq: {select: "type == X86_64 && (maxmem > 4G)", order: "-mem"}
    limits: {run_time: 2h, memory: 4G}
    params: [{name: x}, {name: y}]
  - name: b
"""
TURNED = """
# the same, said differently
applications:
  - name: "b"
  - limits:
      memory: 4096M
      run_time: 120m
    params:
      - name: 'y'
      - {name: x}
    resreq:
      order: '-mem'
      select: type==X86_64&&maxmem>4G
    users: [bob, "ann"]
    name: a
"""


def test_the_same_meaning_gives_the_same_bytes() -> None:
    assert to_bytes(built(applications=ORDERED)) == to_bytes(built(applications=TURNED))


def test_the_source_map_names_file_and_line() -> None:
    result = result_of(applications=ORDERED, xce="\nlease_timeout: 10s\n")
    assert result.source_map["applications/a/limits/run_time"] == "applications.yaml:6"
    assert result.source_map["applications/a/params/y"] == "applications.yaml:7"
    assert result.source_map["applications/b"] == "applications.yaml:8"
    assert result.source_map["timers/lease_timeout_s"] == "xce.yaml:2"


def test_all_faults_of_all_files_are_told_in_order() -> None:
    result = result_of(
        xce="default_que: x\nmemory_unit: X\n",
        queues="queues:\n  - name: normal\n    priority: 500\n    hosts: [nowhere]\n  - nam: x\n",
        applications="applications:\n  - name: p\n    resreq: {select: 'ncpus >'}\n",
    )
    assert places(result) == [
        ("applications.yaml:3:30", "XCE1302"),
        ("queues.yaml:3:15", "XCE1108"),
        ("queues.yaml:4:5", "XCE1204"),
        ("queues.yaml:5:5", "XCE1101"),
        ("queues.yaml:5:5", "XCE1103"),
        ("xce.yaml:1:1", "XCE1101"),
        ("xce.yaml:2:14", "XCE1107"),
    ]
    assert result.config is None


def test_a_file_that_cannot_be_read_has_no_consequences_elsewhere() -> None:
    result = result_of(
        xce="default_queue: night\n",
        queues="queues: [\n",
        resources="resources: {\n",
        hosts="hosts:\n  - {name: n, counters: {lic: 4}}\n",
    )
    assert [code for _, code in places(result)] == ["XCE1001", "XCE1001"]


def test_strict_makes_warnings_faults() -> None:
    files = {"applications.yaml": b"applications:\n  - {name: p, env: {API_TOKEN: hunter2}}\n"}
    result, strict = build_files(files), build_files(files, strict=True)
    assert result.config is not None
    assert [warning.code for warning in result.warnings] == ["XCE1401"]
    assert strict.config is None
    assert [fault.severity for fault in strict.faults] == ["error"]


def test_a_secret_value_is_never_printed() -> None:
    text = "applications:\n  - name: p\n    env: {API_TOKEN: hunter2, B: 'https://a:hunter2@b/'}\n    nope: 1\n"
    result = build_files({"applications.yaml": text.encode()}, strict=True)
    outputs = [to_text(result.faults, result.texts), to_json(result.faults).decode(), to_github(result.faults)]
    assert len(result.faults) == 3
    assert all("API_TOKEN" in output for output in outputs)
    assert not any("hunter2" in output for output in outputs)


def test_a_profile_that_no_queue_can_run_is_a_warning() -> None:
    result = result_of(
        queues="queues:\n  - {name: normal, max: {tasks: 4}}\n  - {name: short, max: {run_time: 1h}}\n",
        applications="applications:\n  - {name: p, tasks: {min: 8}, limits: {run_time: 2h}}\n  - {name: q}\n",
    )
    assert [(warning.path, warning.code) for warning in result.warnings] == [("applications/p", "XCE1404")]


def test_a_report_for_programs_holds_every_fault() -> None:
    result = result_of(queues="queues:\n  - name: normal\n    prioriti: 5\n")
    document = json.loads(to_json(result.faults))
    assert document["schema"] == "xce.config.faults/1"
    assert document["faults"] == [
        {
            "file": "queues.yaml",
            "line": 3,
            "column": 5,
            "severity": "error",
            "code": "XCE1101",
            "message": "key `prioriti` does not exist in `normal`",
            "hint": "did you mean `priority`?",
            "path": "queues/normal/prioriti",
        }
    ]
    assert to_github(result.faults).startswith("::error file=queues.yaml,line=3,col=5,title=XCE1101::")


def test_the_report_is_harmless_to_a_terminal() -> None:
    result = result_of(queues='queues:\n  - name: "a\\e[2Jb\\u202E"\n    description: x\u202ey\n')
    text = to_text(result.faults, result.texts)
    assert result.faults
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_an_unreadable_file_and_an_unknown_one_are_named(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").mkdir()
    (tmp_path / "queue.yaml").write_text("queues: []\n")
    (tmp_path / "auth.yaml").write_text("users: []\n")
    (tmp_path / "notes.txt").write_text("{")
    result = build(tmp_path)
    assert [fault.code for fault in result.faults] == ["XCE1011", "XCE1012"]


def test_the_examples_are_understood_up_to_what_is_not_supported_yet() -> None:
    result = build(TESTS / "examples/config")
    assert {fault.code for fault in result.faults} == {NOT_SUPPORTED_YET}
    assert {"queues.yaml", "applications.yaml", "projects.yaml"} <= {fault.place.file for fault in result.faults}


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_code_has_a_title_and_a_story(code: str) -> None:
    assert CATALOGUE[code].title
    assert CATALOGUE[code].story.endswith((".", "."))
