"""XCE itself: an embedded cluster of 64 slots, durable and supervised, driven by its API and its command."""

import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.figures import CLIENTS, SINGLES, SLOTS, Measured, p50_ms
from bench.unixhttp import Link, request

BIN: Final = Path(__file__).resolve().parents[1] / ".venv" / "bench" / "bin"  # made by bench/prepare, from a wheel
CONNECTIONS: Final = 8
BULK: Final = 1_000
IMPORTS: Final = "import typer, httpx, rich.table, msgspec"  # what a command cannot do without
_POLL_S: Final = 0.02
_keys: Final = itertools.count()


@contextlib.contextmanager
def cluster(top: Path) -> Iterator[Path]:
    """A cluster in `top`; gives the path of its socket."""
    subprocess.run([BIN / "xceserver", "up", "--detach", "--top", top, "--slots", str(SLOTS)], check=True)
    try:
        yield top / "run" / "xce.sock"
    finally:
        subprocess.run([BIN / "xceserver", "down", "--top", top], check=True)


def submit(command: Sequence[str] = ("true",), **fields: Any) -> bytes:
    """A submit request with an identity of its own."""
    body = json.dumps({"command": command, "cwd": "/", **fields}).encode()
    return request("POST", "/xce/v1/jobs", body=body, key=f"bench-{next(_keys)}")


def submit_bulk(count: int, **fields: Any) -> bytes:
    jobs = [{"command": ["true"], "cwd": "/", **fields}] * count
    return request("POST", "/xce/v1/jobs/bulk", body=json.dumps({"jobs": jobs}).encode(), key=f"bench-{next(_keys)}")


def await_all_ended(link: Link) -> None:
    listing = request("GET", "/xce/v1/jobs?all=true&limit=1")
    while json.loads(link.ask(listing))["jobs"]:
        time.sleep(_POLL_S)


def submits_a_second(socket: Path, *, connections: int, count: int, **fields: Any) -> float:
    """Each connection always has one submit on its way."""
    requests = [submit(**fields) for _ in range(count)]
    with contextlib.ExitStack() as stack:
        links = [stack.enter_context(Link(socket)) for _ in range(connections)]
        began = time.monotonic()
        for number, raw in enumerate(requests):
            link = links[number % connections]
            if number >= connections:
                link.receive()
            link.send(raw)
        for link in links:
            link.receive()
        return count / (time.monotonic() - began)


def _singles(socket: Path, link: Link) -> float:
    began = time.monotonic()
    submits_a_second(socket, connections=CLIENTS, count=SINGLES)
    await_all_ended(link)
    return SINGLES / (time.monotonic() - began)


def _array(link: Link, elements: int) -> float:
    began = time.monotonic()
    link.ask(submit(array={"ranges": [[1, elements, 1]]}))
    await_all_ended(link)
    return elements / (time.monotonic() - began)


def _until_run_ms(link: Link, top: Path) -> float:
    bell = top / "bell"
    os.mkfifo(bell)

    def ring() -> None:
        link.ask(submit(("sh", "-c", f"echo >{bell}")))
        bell.read_bytes()

    return p50_ms(ring, clock=time.monotonic, repeats=30)


def _command_ms(socket: Path) -> tuple[float, float]:
    """(`xcecli submit`, the imports alone), whole processes in turn."""
    environ = os.environ | {"XCE_SERVER": f"unix:{socket}"}
    run = [str(BIN / "xcecli"), "submit", "--quiet", "--hold", "--", "true"]
    ours = p50_ms(
        lambda: subprocess.run(run, env=environ, stdout=subprocess.DEVNULL, check=True),
        clock=time.monotonic,
        repeats=20,
    )
    imports = [str(BIN / "python"), "-c", IMPORTS]
    return ours, p50_ms(lambda: subprocess.run(imports, check=True), clock=time.monotonic, repeats=20)


def measure_xce(elements: int) -> Measured:
    """All figures of `bench.figures`, and those that only XCE has."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-xce-") as folder,
        cluster(Path(folder)) as socket,
        Link(socket) as link,
    ):
        singles = _singles(socket, link)
        array = _array(link, elements)
        until_run_ms = _until_run_ms(link, Path(folder))
        submit_ms = p50_ms(lambda: link.ask(submit(hold=True)), clock=time.monotonic, repeats=500)
        submit_rate = submits_a_second(socket, connections=CONNECTIONS, count=4_000, hold=True)
        bulk_ms = p50_ms(lambda: link.ask(submit_bulk(BULK, hold=True)), clock=time.monotonic, repeats=10)
        command_ms, imports_ms = _command_ms(socket)
    return {
        "singles": singles,
        "array": array,
        "submit_ms": submit_ms,
        "submit_rate": submit_rate,
        "until_run_ms": until_run_ms,
        "command_ms": command_ms,
        "bulk_rate": BULK / bulk_ms * 1000,
        "command_ratio": command_ms / imports_ms,
    }
