"""The clients in-process: a fake outside world, and a server that answers what the test says."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from xcecli.kit.client import XceClient
from xcecli.kit.io import Io

Answer = tuple[int, Any]
Answers = Mapping[str, Answer] | Callable[[httpx.Request], Answer | httpx.Response]
Main = Callable[..., int]


@dataclass
class Ran:
    """What one run left: exit status, output, errors, the requests that it made, the pauses that it took."""

    status: int
    out: str
    err: str
    requests: list[httpx.Request]
    pauses: list[float]

    def body(self, number: int = -1) -> Any:
        """What one of the requests carried."""
        return msgspec.json.decode(self.requests[number].content)


def problem(status: int, code: str, detail: str, **fields: Any) -> Answer:
    """A refusal as the server tells it."""
    return status, {"status": status, "title": code, "code": code, "detail": detail, **fields}


def output_piece(
    text: bytes, *, offset: int = 0, size: int | None = None, is_final: bool = True, attempt: int = 1
) -> httpx.Response:
    """A piece of a job's output as the server tells it."""
    end = offset + len(text) if size is None else size
    numbers = {"offset": offset, "size": end, "attempt": attempt}
    headers = {f"x-xce-{name}": str(number) for name, number in numbers.items()}
    headers["x-xce-final"] = "true" if is_final else "false"
    return httpx.Response(200, content=text, headers=headers)


def a_world(
    *, inp: str = "", environ: Mapping[str, str] | None = None, cwd: str = "/tmp", is_terminal: bool = False
) -> Io:
    """Streams in memory. `is_terminal`: a person sits there, who can be asked and sees progress."""
    return Io(
        inp=io.StringIO(inp), out=io.StringIO(), err=io.StringIO(),
        environ={"HOME": "/nowhere", "COLUMNS": "80"} if environ is None else environ,
        cwd=cwd, umask=0o022, in_is_terminal=is_terminal, err_is_terminal=is_terminal,
    )  # fmt: skip


def run_client(
    main: Main,
    argv: Sequence[str],
    answers: Answers | None = None,
    world: Io | None = None,
) -> Ran:
    """Run a client. `answers` maps `METHOD path` (below /xce/v1) to (status, body), or is a function."""
    requests: list[httpx.Request] = []
    pauses: list[float] = []
    keys = iter(range(1, 1000))

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        name = f"{request.method} {request.url.path.removeprefix('/xce/v1')}"
        missing = problem(404, "unknown_route", f"no answer for {name}")
        found = answers(request) if callable(answers) else (answers or {}).get(name, missing)
        return found if isinstance(found, httpx.Response) else _response(*found)

    def connect(_: str | None) -> XceClient:
        http = httpx.Client(transport=httpx.MockTransport(respond), base_url="http://xce")
        return XceClient(http, "unix:/test", sleep=pauses.append, new_key=lambda: f"key-{next(keys)}")

    world = world or a_world()
    status = main(list(argv), world, connect)
    assert isinstance(world.out, io.StringIO), "a run is read from memory"
    assert isinstance(world.err, io.StringIO), "a run is read from memory"
    return Ran(status, world.out.getvalue(), world.err.getvalue(), requests, pauses)


def _response(status: int, body: Any) -> httpx.Response:
    return httpx.Response(status, content=body if isinstance(body, bytes) else msgspec.json.encode(body))
