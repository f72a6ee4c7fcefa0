"""Every command of a client's program, with its path."""

from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command


def commands_of(program: str, app: typer.Typer) -> dict[str, Any]:
    """Path (`xcecli preset save`) to command, groups too."""
    return dict(_walk(program, get_command(app)))


def _walk(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    if not hasattr(command, "list_commands"):
        return
    with command.make_context(path, [], resilient_parsing=True) as context:
        for name in command.list_commands(context):
            yield from _walk(f"{path} {name}", command.get_command(context, name))


def is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")
