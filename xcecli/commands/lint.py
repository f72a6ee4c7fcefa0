"""`xcecli lint`."""

from pathlib import Path
from typing import Annotated

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcelib.errors import Usage
from xcelib.options.directives import read_directives

app = new_app("Check the directives of a script, as submit does.")


@app.command(epilog="Example: xcecli lint job.sh")
def lint(
    ctx: typer.Context, script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The script to check.")]
) -> None:
    """Check the directives of a script, as submit does. Prints nothing when all is well."""
    deps: Deps = ctx.obj
    try:
        text = (Path(deps.io.cwd) / script).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"`{script}` cannot be read: {error}", code="cannot_read") from error
    read_directives(text, now=deps.now())
