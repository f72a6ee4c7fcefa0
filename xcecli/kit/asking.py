"""Asking before something is done that is hard to take back."""

from xcecli.kit.deps import Deps
from xcelib.errors import Usage


def confirm(deps: Deps, question: str, *, elsewhere: Usage) -> None:
    """Ask on a terminal; raise `elsewhere` where nobody can be asked, and `Usage` for a no."""
    if not deps.io.in_is_terminal:
        raise elsewhere
    deps.io.err.write(f"{question} [y/N] ")
    deps.io.err.flush()
    if deps.io.inp.readline().strip().lower() not in ("y", "yes"):
        raise Usage("nothing was done", code="not_confirmed")
