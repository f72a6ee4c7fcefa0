"""Options that several commands share, declared once."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Act on several jobs without asking.")]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="Why; kept and shown.")]
JobIds = Annotated[
    list[str],
    typer.Argument(metavar="JOB...", help="Ids `12`, elements `12[3-7]`, ranges `12-20`, `last`, names `name:fit-*`."),
]
OneJob = Annotated[str, typer.Argument(metavar="JOB", help="Job id, `12[3]` for one element, or `last`.")]
