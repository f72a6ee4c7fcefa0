"""Whatever comes over the socket costs its sender an answer in the 400s, and nobody else anything (G14)."""

import json
import os
import random
from typing import Any

import msgspec
import pytest

from tests.kit.daemons import Daemons, a_cluster
from xcelib.jobspec import JobSpec

pytestmark = pytest.mark.system
SEED = 20261201
RAW = 300  # requests of random bytes, and as many of right JSON in wrong places

HOSTILE: list[Any] = [
    None, 0, -1, 2**63, 2**64, 1e308, "", "x" * 300, "\ud800", "\x00", [], {}, [[]], True, {"a": 1}, ["a"], 10**400,
    {"min": 5, "max": 1}, {"ranges": [[1, 10**9, 1]]}, {"ranges": [[0, 1, 1]]}, "done(1)", "done(99999999999999999)",
    "rusage[mem=99999999P]", "select[" + "(" * 200, "!" * 5000, "%" * 100, {"run_time": 0}, {"run_time": -5}, {"x": 2**70},
]  # fmt: skip
PATHS = [
    "/jobs/99999999999999999999", "/jobs/0", "/jobs/-1", "/jobs/abc", "/jobs/9223372036854775807", "/jobs/1/output?index=x",
    "/jobs/1/output?offset=-99999999999999", "/jobs?cursor=99999999999999999999999", "/jobs?limit=0", "/jobs?limit=1&limit=2",
    "/jobs?foo=1", "/jobs?label=%00", "/jobs?name=%ff", "/jobs?user=%F0%9F", "/jobs?state=X", "/presets/..%2f..%2fetc",
    "/presets/%00", "/hosts/x", "/nope", "/jobs/1/wait?timeout=99", "/jobs/4611686018427387903/why",
]  # fmt: skip
ROUTES = [
    "/jobs",
    "/jobs/bulk",
    "/jobs/kill",
    "/jobs/stop",
    "/jobs/requeue",
    "/config/apply",
    "/hosts/h/drain",
    "/explain",
]


def encoded(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def hostile_bodies() -> list[bytes]:
    """A right submit with one field wrong, for every field and every hostile value."""
    good = {"command": ["true"], "cwd": "/", "hold": True}
    fields = [field.name for field in msgspec.structs.fields(JobSpec)]
    bodies = [encoded({**good, name: value}) for name in fields for value in HOSTILE]
    inner = ("env", "limits", "app_params", "meta", "else")
    return bodies + [encoded({**good, "exdata": {name: value}}) for name in inner for value in HOSTILE]


def refused_otherwise(cluster: Daemons, method: str, path: str, body: bytes | None = None) -> list[str]:
    """What was not answered as it must be: with a status below 500."""
    try:
        status, _ = cluster.ask(method, path, body)
    except (OSError, ValueError) as error:
        return [f"{method} {path} {body!r:.100}: {error}"]
    return [f"{method} {path} {body!r:.100}: {status}"] if status >= 500 and status != 503 else []


def test_hostile_requests_get_an_answer_below_500_and_the_controller_lives() -> None:
    rng = random.Random(SEED)
    with a_cluster() as cluster:
        pid = cluster.pids()["controller"]
        wrong = [fault for path in PATHS for fault in refused_otherwise(cluster, "GET", path)]
        for body in hostile_bodies():
            wrong += refused_otherwise(cluster, "POST", "/jobs", body)
            wrong += refused_otherwise(cluster, "POST", "/explain", body)
        for _ in range(RAW):
            method = rng.choice(("POST", "GET", "PUT", "DELETE"))
            wrong += refused_otherwise(cluster, method, rng.choice(ROUTES), os.urandom(rng.randrange(200)))
            wrong += refused_otherwise(cluster, method, rng.choice(ROUTES), encoded(rng.choice(HOSTILE)))
        for elements in ("1-", "a", "5-1", "1-999999999", "9" * 30, ""):
            body = encoded({"jobs": [{"id": 2**64, "elements": elements}]})
            wrong += refused_otherwise(cluster, "POST", "/jobs/kill", body)
        assert wrong == []
        assert cluster.pids()["controller"] == pid
        assert cluster.ask("GET", "/healthz")[0] == 200
