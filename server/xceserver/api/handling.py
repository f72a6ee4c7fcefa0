"""What every route shares: the caller, the answer as JSON, failures as problem+json."""

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from xcelib.errors import Problem, TryAgain, XceError
from xceserver.api.callers import Callers
from xceserver.api.desk import Desk
from xceserver.core.records import Actor

ENCODER = msgspec.json.Encoder()
PROBLEM = "application/problem+json"
JSON = "application/json"

Handler = Callable[[Request], Awaitable[Response]]


class Site:
    """What the routes work with."""

    def __init__(self, desk: Desk, callers: Callers, *, host: str, cluster_uuid: str, version: str) -> None:
        self.desk = desk
        self.callers = callers
        self.host = host
        self.cluster_uuid = cluster_uuid
        self.version = version

    def actor(self, request: Request) -> Actor:
        return self.callers.actor(request.scope)


def answer(value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer; `msgspec.Raw` is one that was encoded before."""
    return Response(ENCODER.encode(value), status_code=status, media_type=JSON, headers=headers)


def problem(error: XceError) -> Response:
    headers = {"Retry-After": "1"} if isinstance(error, TryAgain) else None
    body = ENCODER.encode(error.problem())
    return Response(body, status_code=error.http_status, media_type=PROBLEM, headers=headers)


def guarded(handler: Handler) -> Handler:
    """The route with its failures as answers. A bug is logged with its traceback and answered without it."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except XceError as error:
            return problem(error)
        except Exception:  # the edge: whatever it is, the caller gets an answer, the log its traceback
            traceback.print_exc()
            found = Problem(
                status=500, title="internal", code="internal", detail="a bug in XCE; the server's log has it"
            )
            return Response(ENCODER.encode(found), status_code=500, media_type=PROBLEM)

    return handle
