"""Finding a command as execvp(3) does, and running it by whatever runs a path: `os.execve`, or a spawn."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from xceserver.worker.failure import StartFailed

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
T = TypeVar("T")
Run = Callable[[bytes, list[bytes], dict[bytes, bytes]], T]


def run_command(argv: Sequence[str], env: Mapping[str, str], run: Run[T]) -> T:
    """What `run` gives for the first path that it can run. Raises `StartFailed` with the shell's exit code."""
    command = argv[0]
    denied: OSError | None = None
    try:
        words = [os.fsencode(word) for word in argv]
        variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        for path in candidates(command, env.get("PATH", "")):
            if not os.path.exists(path):
                continue  # a spawn that fails costs as much as one that does not
            try:
                return _run(path, words, variables, run)
            except OSError as error:
                denied = error
    except ValueError as error:  # NUL, `=` in a name, a lone surrogate
        raise StartFailed(f"the command or its environment cannot be passed on: {error}") from error
    if denied is None:
        raise StartFailed(f"command `{command}` not found", exit_code=NOT_FOUND)
    raise StartFailed(f"command `{command}` cannot be executed: {why(denied)}", exit_code=NOT_EXECUTABLE)


def candidates(command: str, search: str) -> Sequence[bytes]:
    """Where the command may be; an empty entry of PATH is the working directory."""
    if "/" in command:
        return [os.fsencode(command)]
    if not command:
        return []
    return [os.path.join(os.fsencode(folder or "."), os.fsencode(command)) for folder in search.split(":")]


def _run(path: bytes, words: list[bytes], variables: dict[bytes, bytes], run: Run[T]) -> T:
    """A text file without `#!` is run by the shell, as everywhere."""
    try:
        return run(path, words, variables)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
    return run(b"/bin/sh", [b"sh", path, *words[1:]], variables)


def why(error: OSError | ValueError) -> str:
    """The reason in words."""
    if isinstance(error, FileNotFoundError) and os.path.exists(error.filename or ""):
        return "the interpreter that its first line names does not exist"
    if isinstance(error, OSError) and error.errno == errno.ENXIO:
        return "it is a pipe that nobody reads"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
