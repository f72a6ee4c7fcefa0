"""The ASGI application."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from xcelib.errors import XceError
from xceserver.api import cluster, jobs, peers
from xceserver.api.handling import Site, problem
from xceserver.api.presets import PresetFolder


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: ("unknown_route", "does not exist"), 405: ("bad_method", f"does not take {request.method}")}
    code, text = words.get(error.status_code, ("refused", str(error.detail)))
    refusal = XceError(f"`{request.url.path[:128]}` {text}", code=code)
    refusal.http_status = error.status_code
    return problem(refusal)


def build_app(site: Site, presets: PresetFolder) -> Starlette:
    """The application; no middleware, so that a submit passes through as little as can be."""
    app = Starlette(
        routes=[*jobs.routes(site), *cluster.routes(site, presets), *peers.routes(site)],
        exception_handlers={HTTPException: _not_found},
    )
    app.router.redirect_slashes = False
    return app
