"""The ASGI application."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from xcelib.errors import XceError
from xceserver.api import cluster, jobs, peers
from xceserver.api.handling import Site, problem
from xceserver.api.presets import PresetFolder


def build_app(site: Site, presets: PresetFolder) -> ASGIApp:
    """The application: a router and no middleware, so that a submit passes through as little as can be.

    Every route answers its own failures; what is left is a path or a method that does not exist.
    """
    router = Router(
        routes=[*jobs.routes(site), *cluster.routes(site, presets), *peers.routes(site)], redirect_slashes=False
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = site  # makes the router raise, where it would answer in plain text
        try:
            await router(scope, receive, send)
        except HTTPException as error:
            await problem(_refusal(scope, error))(scope, receive, send)

    return app


def _refusal(scope: Scope, error: HTTPException) -> XceError:
    path = Request(scope).url.path[:128]
    words = {404: ("unknown_route", "does not exist"), 405: ("bad_method", f"does not take {scope['method']}")}
    code, text = words.get(error.status_code, ("refused", str(error.detail)))
    refusal = XceError(f"`{path}` {text}", code=code)
    refusal.http_status = error.status_code
    return refusal
