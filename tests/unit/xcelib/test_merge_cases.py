"""The normative cases of `tests/cases/merge.yaml`, one test each, read as a build reads them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from xceadmin.config.build import read_files
from xceadmin.config.faults import Faults
from xceadmin.config.reading import Reading
from xcelib.config.model import LIMIT_DURATIONS, LIMIT_SIZES, ClusterConfig
from xcelib.errors import XceError
from xcelib.jobspec import JobSpec
from xcelib.merge import Effective, Own, Rejection, merge_job
from xcelib.merge.execution import PROFILE_ONLY
from xcelib.quantity import parse_duration, parse_size, parse_task_range
from xcelib.resreq.ast import Compound, Resreq, Simple
from xcelib.resreq.printer import expr_text, order_text, span_text

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases/merge.yaml").read_text(encoding="utf-8"))
COUNTER = {"name": "lic", "layer": "counter", "scope": "shared", "total": 100}


def config_of(case: Mapping[str, Any]) -> ClusterConfig:
    """The case's inputs as source files, read as a build reads them."""
    queues = [{"name": "normal"}, *([case["queue"]] if "queue" in case else [])]
    documents = {
        "xce.yaml": case.get("cluster", {}),
        "resources.yaml": {"resources": [COUNTER]},
        "queues.yaml": {"queues": queues},
        "applications.yaml": {"applications": [case["profile"]]} if "profile" in case else {},
        "projects.yaml": {"projects": case["projects"]} if "projects" in case else {},
    }
    reading = Reading(Faults())
    config = read_files({name: yaml.safe_dump(body).encode() for name, body in documents.items()}, reading)
    assert list(reading.faults) == []
    return config


def own_of_case(job: Mapping[str, Any]) -> Own:
    """The request form with its short forms."""
    given = dict(job)
    exdata = {key: given.pop(key) for key in ("env", "limits", "app_params") if key in given}
    exdata["limits"] = {name: limit_of(name, value) for name, value in exdata.get("limits", {}).items()}
    extension = msgspec.convert({"exdata": exdata | given.pop("exdata", {})}, JobSpec).exdata
    if "tasks" in given:
        given["tasks"] = parse_task_range(str(given["tasks"]))
    only = {name: given.pop(name) for name in PROFILE_ONLY if name in given}
    own = {"user": "ann", "given": only, **given, **msgspec.structs.asdict(extension)}
    return msgspec.convert(own, Own)


def limit_of(name: str, value: object) -> int:
    if name in LIMIT_DURATIONS:
        return parse_duration(str(value))
    return parse_size(str(value)) if name in LIMIT_SIZES else int(str(value))


def merged(case: Mapping[str, Any]) -> Effective | Rejection:
    try:
        own = own_of_case(case["job"])
    except msgspec.ValidationError as error:  # the API's words for a field that does not exist
        code = "unknown_field" if "unknown field" in str(error) else "wrong_field"
        return Rejection(code=code, message=str(error))
    return merge_job(own, config_of(case))


def view_of(effective: Effective) -> dict[str, Any]:
    """The effective values in the form of the cases."""
    return {
        **{name: getattr(effective, name) for name in ("kind", "mode", "launch", "queue", "project", "limits")},
        **{name: getattr(effective, name) for name in ("hooks", "pre_exec", "post_exec", "app_params")},
        "tasks": msgspec.to_builtins(effective.tasks),
        "resreq": requirement_view(effective.resreq) | {"rusage": list(msgspec.to_builtins(effective.rusage))},
        "env": {"profile": effective.profile_env, "job": effective.job_env},
        "exdata": {"meta": effective.meta},
    }


def requirement_view(needs: Resreq) -> dict[str, Any]:
    if isinstance(needs, Compound):
        return {"parts": [{"tasks": part.tasks, **requirement_view(part.needs)} for part in needs.parts]}
    assert isinstance(needs, Simple)
    return {
        "select": expr_text(needs.select) if needs.select else None,
        "span": span_text(needs.span) if needs.span else None,
        "same": list(needs.same),
        "order": order_text(needs.order),
    }


def assert_part(part: Any, whole: Any, at: str = "effective") -> None:
    """Mappings are compared in the keys that `part` has, everything else whole."""
    if isinstance(part, dict) and part and isinstance(whole, dict):
        for key, value in part.items():
            assert key in whole, f"{at} has no {key}"
            assert_part(value, whole[key], f"{at}.{key}")
    elif isinstance(part, list) and isinstance(whole, list) and part and isinstance(part[0], dict):
        assert len(part) == len(whole), at
        for number, value in enumerate(part):
            assert_part(value, whole[number], f"{at}[{number}]")
    else:
        assert whole == part, at


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    assert case.keys() <= {
        *("name", "cluster", "profile", "queue", "projects", "job"),
        *("effective", "origins", "warn", "note", "reject", "mentions"),
    }
    result = merged(case)
    if "reject" in case:
        assert isinstance(result, Rejection)
        assert result.code == case["reject"]
        words = f"{result.message} {' '.join(result.hints)}"
        assert [word for word in case["mentions"] if word not in words] == []
        assert isinstance(result.as_error(), XceError)
        return
    assert isinstance(result, Effective), result
    if "effective" in case:
        assert_part(case["effective"], view_of(result))
    for attribute, origins in case.get("origins", {}).items():
        assert list(result.origins[attribute]) == origins
    assert set(case.get("warn", ())) <= {finding.code for finding in result.warnings}
    assert set(case.get("note", ())) <= {finding.code for finding in result.notes}
