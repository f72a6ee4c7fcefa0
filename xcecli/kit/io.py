"""The outside world of one run, as one value."""

import io
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True, kw_only=True)
class Io:
    """Streams and environment. Tests pass their own; no other code of the clients reads sys.* or os.environ."""

    inp: TextIO
    out: TextIO
    err: TextIO
    environ: Mapping[str, str]
    cwd: str
    umask: int
    out_is_terminal: bool = False
    err_is_terminal: bool = False
    in_is_terminal: bool = False

    @property
    def width(self) -> int:
        """Columns to fill: COLUMNS, the terminal's, or no bound when the output is no terminal."""
        columns = self.environ.get("COLUMNS", "")
        if columns.isdigit() and int(columns) > 0:
            return int(columns)
        if not self.out_is_terminal:
            return 10_000
        try:
            return os.get_terminal_size(self.out.fileno()).columns
        except OSError:
            return 80

    def say(self, text: str) -> None:
        """A line of data on standard output."""
        self.out.write(text + "\n")

    def note(self, text: str) -> None:
        """A line for people, on standard error."""
        self.err.write(text + "\n")
        self.err.flush()


def real_io() -> Io:
    """The process's own."""
    umask = os.umask(0)
    os.umask(umask)
    try:
        cwd = os.getcwd()
    except FileNotFoundError:
        cwd = ""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return Io(
        inp=sys.stdin or io.StringIO(),  # a stream is None where it was closed
        out=sys.stdout or io.StringIO(),
        err=sys.stderr or io.StringIO(),
        environ=os.environ,
        cwd=cwd,
        umask=umask,
        out_is_terminal=sys.stdout is not None and sys.stdout.isatty(),
        err_is_terminal=sys.stderr is not None and sys.stderr.isatty(),
        in_is_terminal=sys.stdin is not None and sys.stdin.isatty(),
    )
