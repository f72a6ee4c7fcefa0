"""The clients in-process: a fake outside world, and a server that answers what the test says."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from xcecli.kit.client import XceClient
from xcecli.kit.io import Io

Answer = tuple[int, Any]


@dataclass
class Ran:
    """What one run left: exit status, output, errors, and the requests that it made."""

    status: int
    out: str
    err: str
    requests: list[httpx.Request]


def run_client(
    main: Callable[..., int],
    *argv: str,
    answers: Mapping[str, Answer] | Callable[[httpx.Request], Answer] | None = None,
    inp: str = "",
    environ: Mapping[str, str] | None = None,
    cwd: str = "/tmp",
    is_terminal: bool = False,
) -> Ran:
    """Run a client. `answers` maps `METHOD path` (below /xce/v1) to (status, body), or is a function."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        name = f"{request.method} {request.url.path.removeprefix('/xce/v1')}"
        found = answers(request) if callable(answers) else (answers or {}).get(name, (404, _problem(name)))
        status, body = found
        raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
        return httpx.Response(
            status, content=raw, headers={"x-xce-offset": "0", "x-xce-size": str(len(raw)), "x-xce-final": "true"}
        )

    def connect(_: str | None) -> XceClient:
        http = httpx.Client(transport=httpx.MockTransport(respond), base_url="http://xce")
        return XceClient(http, "unix:/test", sleep=lambda _: None, new_key=lambda: "key")

    world = Io(
        inp=io.StringIO(inp), out=io.StringIO(), err=io.StringIO(), environ=environ or {"HOME": "/nowhere", "COLUMNS": "80"},
        cwd=cwd, umask=0o022, in_is_terminal=is_terminal,
    )  # fmt: skip
    status = main(list(argv), world, connect)
    assert isinstance(world.out, io.StringIO)
    assert isinstance(world.err, io.StringIO)
    return Ran(status, world.out.getvalue(), world.err.getvalue(), requests)


def _problem(name: str) -> dict[str, Any]:
    return {"status": 404, "title": "unknown", "code": "unknown_route", "detail": f"no answer for {name}"}
