"""`make demo`: a whole cluster in a temporary folder, real jobs, and every command shown before it runs."""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

DEMO: Final = Path(__file__).resolve().parent
SLOTS: Final = 4
LOOK_LIMIT_S: Final = 20.0
Row = dict[str, Any]


class Shell:
    """Shows each command as it would be typed, runs it, and insists on its exit status."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._environ = environ

    def say(self, text: str) -> None:
        print(f"\n# {text}", flush=True)

    def run(self, *words: str, expect: int = 0) -> None:
        self._show(words)
        done = subprocess.run(words, env=self._environ, stdin=subprocess.DEVNULL, check=False)
        self._insist(words, done.returncode, expect)

    def read(self, *words: str, is_shown: bool = True) -> str:
        """Like `run`, for what the next command needs of the output."""
        if is_shown:
            self._show(words)
        done = subprocess.run(words, env=self._environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if is_shown:
            print(done.stdout, end="", flush=True)
        self._insist(words, done.returncode, 0)
        return done.stdout

    def _show(self, words: tuple[str, ...]) -> None:
        print(f"\n$ {shlex.join(words)}", flush=True)

    def _insist(self, words: tuple[str, ...], status: int, expected: int) -> None:
        if status != expected:
            raise SystemExit(f"demo: `{shlex.join(words)}` ended with {status}, not {expected}")


@contextlib.contextmanager
def surroundings() -> Iterator[tuple[Path, dict[str, str]]]:
    """A TopDir with the demo's configuration, and an environment that leads every command to it."""
    with tempfile.TemporaryDirectory(prefix="xce-demo-") as folder:
        top = Path(folder)
        shutil.copytree(DEMO / "config", top / "config")
        settings = {"XCE_TOP": str(top), "XCE_PRESET_DIR": str(top / "my-presets")}
        bin_folder = str(Path(sys.executable).parent)
        for name, value in settings.items():
            print(f"$ export {name}={value}")
        print(f"$ export PATH={bin_folder}:$PATH")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("XCE_")}
        yield top, inherited | settings | {"PATH": f"{bin_folder}:{inherited.get('PATH', os.defpath)}"}


def tour(shell: Shell) -> None:
    """What a user does in the first five minutes; README.md tells the same."""
    shell.say("A site has presets; take one. It is yours from now on.")
    shell.run("xcecli", "preset", "list", "--remote")
    shell.run("xcecli", "preset", "pull", "pi-series")
    shell.run("xcecli", "preset", "show", "pi-series")

    shell.say("Submit a script as an array of four elements, with the preset. The answer is the job's id.")
    array = shell.read("xcecli", "submit", "--preset", "pi-series", "--array", "1-4", str(DEMO / "pi.sh")).strip()
    shell.say("Follow the first element's output; wait for all of them.")
    shell.run("xcecli", "logs", "-f", f"{array}[1]")
    shell.run("xcecli", "wait", array)
    shell.run("xcecli", "job", array)

    shell.say("Where does each value of the job come from?")
    shell.run("xcecli", "explain", array)

    shell.say("One job of two tasks: the command runs once for each.")
    command = ("sh", "-c", "echo task $XCE_TASK_INDEX of $XCE_NTASKS on $(uname -n)")
    pair = shell.read("xcecli", "submit", "--app", "pi", "--tasks", "2", "--launch", "tasks", "--", *command).strip()
    shell.run("xcecli", "wait", pair)
    shell.run("xcecli", "logs", pair)

    shell.say(f"This cluster has {SLOTS} slots. A job that takes them all makes the next one wait. Why does it?")
    whole = shell.read("xcecli", "submit", "--name", "whole", "--tasks", str(SLOTS), "--", "sleep", "300").strip()
    await_row(shell, whole, is_in("RUN"))
    waiting = shell.read("xcecli", "submit", "--name", "next", "--", "echo", "my turn").strip()
    await_row(shell, waiting, lambda row: bool(row.get("reason")))
    shell.run("xcecli", "jobs")
    shell.run("xcecli", "why", waiting)
    shell.say("End the one; the other starts.")
    shell.run("xcecli", "kill", whole)
    shell.run("xcecli", "wait", waiting)
    shell.run("xcecli", "logs", waiting)

    shell.say("What was:")
    shell.run("xcecli", "history")
    for job, state in {array: "DONE", pair: "DONE", whole: "EXIT", waiting: "DONE"}.items():
        await_row(shell, job, is_in(state))


def is_in(state: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["state"] == state)


def await_row(shell: Shell, job: str, accept: Callable[[Row], bool]) -> None:
    """Look at a job, without showing it, until it is as the tour needs it."""
    end = time.monotonic() + LOOK_LIMIT_S
    while not accept(row := json.loads(shell.read("xcecli", "job", job, "--json", is_shown=False))["row"]):
        if time.monotonic() > end:
            raise SystemExit(f"demo: job {job} is not as expected: {row}")


def main() -> None:
    with surroundings() as (_, environ):
        shell = Shell(environ)
        shell.say("A whole cluster on this machine, in the background.")
        shell.run("xceserver", "up", "--detach", "--slots", str(SLOTS))
        try:
            shell.run("xceserver", "status")
            tour(shell)
        finally:
            shell.say("Stop it.")
            shell.run("xceserver", "down")
    print("\nEvery job ended as expected.")


if __name__ == "__main__":
    main()
