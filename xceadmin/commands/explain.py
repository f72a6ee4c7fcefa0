"""`xceadmin explain CODE`."""

from typing import Annotated

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcelib.config.codes import CATALOGUE
from xcelib.errors import Unknown, did_you_mean

app = new_app("Tell the longer story of a configuration fault.")


@app.command(epilog="Example: xceadmin explain XCE1203")
def explain(
    ctx: typer.Context, code: Annotated[str, typer.Argument(metavar="CODE", help="A fault's code, such as XCE1203.")]
) -> None:
    """Tell the longer story of a configuration fault."""
    deps: Deps = ctx.obj
    name = code.upper() if code.upper() in CATALOGUE else code.lower()
    known = CATALOGUE.get(name)
    if known is None:
        hints = did_you_mean(
            code.upper(), CATALOGUE, otherwise="codes stand in the messages of `xceadmin config check`"
        )
        raise Unknown(f"there is no fault `{code}`", code="unknown_code", hints=hints)
    deps.io.say(f"{name}: {known.title}\n\n{known.story}")
