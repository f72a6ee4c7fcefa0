"""The client: one method a route, in XCE's types. Only this module knows that HTTP exists."""

import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from xcelib import wire
from xcelib.errors import Problem, Unreachable, XceError, from_problem
from xcelib.jobspec import JobSpec

if TYPE_CHECKING:
    import httpx

    from xcecli.kit.settings import Address

T = TypeVar("T")
BASE = "/xce/v1"
RETRIES_S = (0.1, 0.3, 0.8, 1.5)
TIMEOUT_S = 40.0
_PROBLEM = msgspec.json.Decoder(Problem)
Query = Mapping[str, "str | int | None"]


class XceClient:
    """Talks to one server. Every changing request carries a key of its own, so that a repeat is harmless (G2)."""

    def __init__(
        self,
        http: "httpx.Client",
        name: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        new_key: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._http = http
        self._name = name
        self._sleep = sleep
        self._new_key = new_key

    def close(self) -> None:
        self._http.close()

    def pause(self, seconds: float) -> None:
        """Let time pass before the next question."""
        self._sleep(seconds)

    # --- jobs ---------------------------------------------------------------------------------------------------

    def submit(self, spec: JobSpec) -> wire.Submitted:
        return self._post("/jobs", spec, wire.Submitted)

    def jobs(self, query: Query) -> wire.JobPage:
        return self._get("/jobs", wire.JobPage, query)

    def job(self, job_id: int) -> wire.JobDetail:
        return self._get(f"/jobs/{job_id}", wire.JobDetail)

    def explain(self, job_id: int) -> wire.ExplainTable:
        return self._get(f"/jobs/{job_id}/explain", wire.ExplainTable)

    def explain_spec(self, spec: JobSpec) -> wire.ExplainTable:
        return self._post("/explain", spec, wire.ExplainTable)

    def why(self, job_id: int) -> wire.WhyReport:
        return self._get(f"/jobs/{job_id}/why", wire.WhyReport)

    def wait(self, job_id: int, *, seconds: int) -> wire.JobRow:
        """The job when it is final, or as it is after `seconds`."""
        return self._get(f"/jobs/{job_id}/wait", wire.JobRow, {"timeout": seconds})

    def elements(self, job_id: int, *, after: int, limit: int) -> wire.ElementPage:
        """Elements that were dispatched, by index, those above `after`."""
        return self._get(f"/jobs/{job_id}/elements", wire.ElementPage, {"cursor": after, "limit": limit})

    def output(
        self, job_id: int, *, index: int | None, stream: str, offset: int, attempt: int | None = None
    ) -> "Output":
        """A piece of what an element wrote, from `offset`; below 0 it counts from the end."""
        query = {"index": index, "stream": stream, "offset": offset, "attempt": attempt}
        response = self._send("GET", f"/jobs/{job_id}/output", query=query)
        try:
            offset, size, attempt = (int(response.headers[f"x-xce-{name}"]) for name in ("offset", "size", "attempt"))
            is_final = response.headers["x-xce-final"] == "true"
        except (KeyError, ValueError) as error:
            raise Unreachable(f"{self._name} answered, but not as an XCE server") from error
        return Output(data=response.content, attempt=attempt, offset=offset, size=size, is_final=is_final)

    def act(self, action: str, request: wire.ActionRequest) -> wire.ActionReport:
        """`kill`, `stop`, `resume` or `requeue`."""
        return self._post(f"/jobs/{action}", request, wire.ActionReport)

    # --- the cluster --------------------------------------------------------------------------------------------

    def queues(self) -> wire.QueueList:
        return self._get("/queues", wire.QueueList)

    def hosts(self) -> wire.HostList:
        return self._get("/hosts", wire.HostList)

    def apps(self) -> wire.AppList:
        return self._get("/apps", wire.AppList)

    def set_host(self, name: str, action: str, why: str) -> wire.NoteRow:
        return self._post(f"/hosts/{_quoted(name)}/{action}", wire.ReasonRequest(why=why), wire.NoteRow)

    def set_queue(self, name: str, action: str, why: str) -> wire.NoteRow:
        return self._post(f"/queues/{_quoted(name)}/{action}", wire.ReasonRequest(why=why), wire.NoteRow)

    def presets(self) -> wire.PresetList:
        return self._get("/presets", wire.PresetList)

    def preset(self, name: str) -> wire.PresetText:
        return self._get(f"/presets/{_quoted(name)}", wire.PresetText)

    def config(self) -> wire.ConfigLive:
        return self._get("/config", wire.ConfigLive)

    def config_document(self) -> bytes:
        return self._send("GET", "/config/document").content

    def apply_config(self, document: bytes, query: Query) -> wire.ConfigLive:
        return self._decode(self._send("POST", "/config/apply", body=document, query=query), wire.ConfigLive)

    def version(self) -> dict[str, str]:
        return self._get("/version", dict[str, str])

    # --- transport ----------------------------------------------------------------------------------------------

    def _get(self, path: str, kind: type[T], query: Query | None = None) -> T:
        return self._decode(self._send("GET", path, query=query), kind)

    def _post(self, path: str, body: Any, kind: type[T]) -> T:
        return self._decode(self._send("POST", path, body=msgspec.json.encode(body)), kind)

    def _decode(self, response: "httpx.Response", kind: type[T]) -> T:
        try:
            return msgspec.json.decode(response.content, type=kind)
        except msgspec.MsgspecError as error:
            raise Unreachable(f"{self._name} answered, but not as this client understands: {error}") from error

    def _send(
        self, method: str, path: str, *, body: bytes | None = None, query: Query | None = None
    ) -> "httpx.Response":
        """Send, and send again with the same key when no answer came: it can not do a thing twice."""
        import httpx  # late: what needs no server must not pay for it

        headers = {"Content-Type": "application/json"} if body is not None else {}
        if method == "POST":
            headers["Idempotency-Key"] = self._new_key()
        params = {name: value for name, value in (query or {}).items() if value is not None}
        for pause in (*RETRIES_S, None):
            try:
                response = self._http.request(method, BASE + path, content=body, params=params, headers=headers)
            except httpx.TransportError as error:
                if pause is None or isinstance(error, httpx.UnsupportedProtocol):
                    raise self._unreachable(error) from error
            else:
                if response.status_code != 503 or pause is None:
                    return self._checked(response)
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            f"no answer from {self._name}: {error}",
            hints=[
                "look with `xceserver status`, start a cluster with `xceserver up`",
                "or choose another with `--server`",
            ],
        )

    def _checked(self, response: "httpx.Response") -> "httpx.Response":
        if not response.is_error:
            return response
        raise self._refusal(response)

    def _refusal(self, response: "httpx.Response") -> XceError:
        try:
            return from_problem(_PROBLEM.decode(response.content))
        except msgspec.MsgspecError:
            return Unreachable(f"{self._name} answered {response.status_code}, but not as an XCE server")


class Output(msgspec.Struct, frozen=True):
    """A piece of what one attempt wrote; `is_final`: no more can come after it."""

    data: bytes
    attempt: int
    offset: int
    size: int
    is_final: bool


@contextmanager
def _without(name: str) -> Iterator[None]:
    """Let imports of the module fail for a while."""
    before = sys.modules.get(name)
    sys.modules[name] = None  # type: ignore[assignment]  # Python's own way to say: not importable
    try:
        yield
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before


def connect(address: "Address") -> XceClient:
    """A client for a server on this machine."""
    # httpx has a command line of its own that loads click, rich and pygments: 60 ms of every call of ours.
    # Where click cannot be imported it goes without, and says so in its own code.
    with _without("click"):
        import httpx

    transport = httpx.HTTPTransport(uds=str(address.socket), verify=False)  # a socket of this machine: no TLS to load
    http = httpx.Client(transport=transport, base_url="http://xce", timeout=TIMEOUT_S, trust_env=False)
    return XceClient(http, str(address))


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")
