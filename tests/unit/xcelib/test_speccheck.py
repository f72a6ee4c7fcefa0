"""What is wrong for any job is refused with its place; what is unusual but right passes."""

from typing import Any

import pytest

from tests.kit.builders import a_spec
from xcelib.errors import XceError
from xcelib.jobspec import ArraySpec, Exdata, JobSpec
from xcelib.speccheck import check_spec, faults_of, shown


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"inner": value}
    return value


def with_env(**env: str) -> JobSpec:
    return a_spec(exdata=Exdata(env=env))


WRONG: dict[str, tuple[JobSpec, str, str, str]] = {
    "no command": (JobSpec(cwd="/tmp"), "/command", "no_command", "there is no command to run"),
    "empty command": (a_spec(""), "/command/0", "no_command", "the command is empty"),
    "empty script": (a_spec(script=""), "/script", "no_command", "the script is empty"),
    "NUL in an argument": (a_spec("a", "b\0c"), "/command/1", "bad_text", "an argument is not UTF-8 without NUL"),
    "surrogate in an argument": (a_spec("\ud800"), "/command/0", "bad_text", "an argument is not UTF-8 without NUL"),
    "long arguments": (
        a_spec("a", "x" * (128 << 10)), "/command", "too_large", "the arguments are longer than 131072 bytes",
    ),
    "long arguments of two-byte letters": (
        a_spec("ü" * (65 << 10)), "/command", "too_large", "the arguments are longer than 131072 bytes",
    ),
    "NUL in the script": (a_spec(script="#!/bin/sh\n\0"), "/script", "bad_text", "the script is not UTF-8 without NUL"),
    "surrogate in the script": (
        a_spec(script="#!/bin/sh\n\ud800"), "/script", "bad_text", "the script is not UTF-8 without NUL",
    ),
    "large script": (
        a_spec(script="#!" + "x" * (1 << 20)), "/script", "too_large", "the script is larger than 1048576 bytes",
    ),
    "control character in the name": (
        a_spec(name="a\x1b[31mb"), "/name", "bad_name", "the name `a\\x1b[31mb` has control characters",
    ),
    "line end in the name": (a_spec(name="a\nb"), "/name", "bad_name", "the name `a\\nb` has control characters"),
    "direction mark in the name": (
        a_spec(name="a\u202eb"), "/name", "bad_name", "the name `a\\u202eb` has control characters",
    ),
    "surrogate in the name": (a_spec(name="\ud800"), "/name", "bad_name", "the name `\\ud800` has control characters"),
    "empty label": (a_spec(labels={"": "v"}), "/labels", "bad_label", "the label `=v` is empty or has control characters"),
    "control character in a label": (
        a_spec(labels={"k": "\x07"}), "/labels", "bad_label", "the label `k=\\x07` is empty or has control characters",
    ),
    "many labels": (
        a_spec(labels={f"k{n}": "" for n in range(65)}), "/labels", "too_large", "at most 64 labels, 65 given",
    ),
    "relative directory": (a_spec(cwd="tmp"), "/cwd", "bad_path", "the working directory `tmp` is not an absolute path"),
    "no directory": (a_spec(cwd=""), "/cwd", "bad_path", "the working directory `` is not an absolute path"),
    "NUL in the directory": (a_spec(cwd="/a\0"), "/cwd", "bad_path", "`cwd` is no path of at most 4096 bytes"),
    "long directory": (a_spec(cwd="/" + "x" * 4096), "/cwd", "bad_path", "`cwd` is no path of at most 4096 bytes"),
    "empty output": (a_spec(stdout=""), "/stdout", "bad_path", "`stdout` is no path of at most 4096 bytes"),
    "surrogate in the output": (a_spec(stderr="\ud800"), "/stderr", "bad_path", "`stderr` is no path of at most 4096 bytes"),
    "unknown pattern": (
        a_spec(stdout="out.%x"), "/stdout", "bad_placeholder", "`%x` at column 5 of the path `out.%x` means nothing",
    ),
    "lone per cent sign": (
        a_spec(stdin="in%"), "/stdin", "bad_placeholder", "`%` at column 3 of the path `in%` means nothing",
    ),
    "1001 variables": (
        with_env(**{f"V{n}": "" for n in range(1001)}), "/exdata/env", "too_large", "at most 1000 variables, 1001 given",
    ),
    "large environment": (
        with_env(A="x" * (128 << 10)), "/exdata/env", "too_large", "the environment is larger than 131072 bytes",
    ),
    "large environment of two-byte letters": (
        with_env(A="ü" * (65 << 10)), "/exdata/env", "too_large", "the environment is larger than 131072 bytes",
    ),
    "XCE variable": (
        with_env(XCE_JOB_ID="1"), "/exdata/env", "reserved_variable",
        "`XCE_JOB_ID`: names that begin with `XCE_` are XCE's own",
    ),
    "unnamed variable": (with_env(**{"": "1"}), "/exdata/env", "bad_variable", "`` is no name of a variable"),
    "equals in a variable's name": (with_env(**{"A=B": "1"}), "/exdata/env", "bad_variable", "`A=B` is no name of a variable"),
    "NUL in a variable's name": (with_env(**{"A\0": "1"}), "/exdata/env", "bad_variable", "`A\\x00` is no name of a variable"),
    "NUL in a variable": (
        with_env(A="\0"), "/exdata/env", "bad_variable", "the value of `A` is not UTF-8 without NUL",
    ),
    "surrogate in a variable": (
        with_env(A="\ud800"), "/exdata/env", "bad_variable", "the value of `A` is not UTF-8 without NUL",
    ),
    "explicit variable that is not there": (
        a_spec(explicit_env=("A",)), "/explicit_env", "bad_variable", "`A` is not among the variables",
    ),
    "deep meta": (
        a_spec(exdata=Exdata(meta=nested(66))), "/exdata/meta", "too_deep", "`meta` holds at most 64 levels and 10000 values",
    ),
    "wide meta": (
        a_spec(exdata=Exdata(meta={"list": [0] * 10_000})), "/exdata/meta", "too_deep",
        "`meta` holds at most 64 levels and 10000 values",
    ),
    "backward array": (a_spec(array=ArraySpec(((5, 1, 1),))), "/array", "bad_array", "the range 5-1 runs backwards"),
    "empty array": (a_spec(array=ArraySpec(())), "/array", "bad_array", "an array has 1 to 1000000 elements, 0 asked"),
    "large array": (
        a_spec(array=ArraySpec(((1, 1_000_000, 2), (2, 1_000_000, 2), (3, 3, 1)))), "/array", "bad_array",
        "an array names each element once: 2 stands in two ranges",
    ),
    "overlapping array": (
        a_spec(array=ArraySpec(((1, 5, 1), (3, 7, 1)))), "/array", "bad_array",
        "an array names each element once: 3 stands in two ranges",
    ),
    "project that is no path": (
        a_spec(project="eng"), "/project", "bad_project", "project `eng` is no path such as `/eng/cfd`",
    ),
    "project with a control character": (
        a_spec(project="/e\n"), "/project", "bad_project", "project `/e\\n` is no path such as `/eng/cfd`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_one_fault_is_told_with_its_place(case: str) -> None:
    spec, path, code, message = WRONG[case]
    with pytest.raises(XceError) as caught:
        check_spec(spec)
    error = caught.value
    assert [(fault.path, fault.code, fault.message) for fault in error.faults] == [(path, code, message)]
    assert (error.code, error.message, error.http_status) == (code, message, 400)


RIGHT: dict[str, JobSpec] = {
    "plain": a_spec(),
    "a script with arguments": a_spec("a", "b", script="#!/bin/sh\n"),
    "an empty argument after the command": a_spec("a", ""),
    "letters of any script": a_spec("ü", name="naïve 名前", labels={"größe": "ß"}),
    "all patterns": a_spec(stdout="%J.%I.%N.%H.%U.%%"),
    "no project": a_spec(project=""),
    "1000 variables": with_env(**{f"V{n}": "" for n in range(1000)}),
    "a variable whose name holds XCE_ later": with_env(MY_XCE_VAR="1"),
    "a variable with line ends": with_env(A="one\ntwo"),
    "an explicit variable": a_spec(exdata=Exdata(env={"A": "1"}), explicit_env=("A",)),
    "meta of 64 levels": a_spec(exdata=Exdata(meta=nested(65))),
    "an array of a million": a_spec(array=ArraySpec(((1, 1_000_000, 1),))),
    "ranges out of order": a_spec(array=ArraySpec(((5, 9, 1), (1, 4, 1)))),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right_passes(case: str) -> None:
    assert list(faults_of(RIGHT[case])) == []
    check_spec(RIGHT[case])


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(XceError) as caught:
        check_spec(a_spec(name="\n", cwd="tmp", stdout="%x"))
    assert caught.value.code == "bad_job"
    assert [fault.path for fault in caught.value.faults] == ["/name", "/cwd", "/stdout"]


def test_values_of_variables_are_never_told() -> None:
    with pytest.raises(XceError) as caught:
        check_spec(with_env(A="hunter2\0"))
    assert "hunter2" not in caught.value.message


def test_text_of_others_is_shown_harmless_and_short() -> None:
    assert shown("a\x1b\u202e\ud800") == "a\\x1b\\u202e\\ud800"
    assert shown("x" * 100) == "x" * 79 + "…"
