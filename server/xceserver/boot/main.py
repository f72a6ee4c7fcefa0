"""`xceserver`: the daemons' program."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from xcelib.errors import ExitStatus, XceError
from xceserver.boot.topdir import TopDir, default_top

EXAMPLES = """examples:
  xceserver up                         a cluster on this machine, in the foreground; stop it with Ctrl-C
  xceserver up --detach --top /tmp/x   the same in the background, with everything below /tmp/x
  xceserver status --json              every component with pid, address and health
  xceserver down                       stop the daemons; running jobs go on
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="xceserver",
        description="Run and look at an XCE cluster.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.add_argument(
            "--top",
            type=Path,
            metavar="DIR",
            help="the cluster's folder (default: XCE_TOP, else /var/lib/xce for root or your data folder)",
        )
        return added

    up = command("up", "Run a whole cluster on this machine, with no configuration needed.")
    up.add_argument("--detach", action="store_true", help="go to the background and return when it is ready")
    up.add_argument("--slots", type=_slots, metavar="N", help="slots of this host (default: its processors)")
    status = command("status", "Show each component with pid, address and health.")
    status.add_argument("--json", action="store_true", help="as JSON")
    command("down", "Stop the daemons of a cluster; its running jobs go on.")
    command("controller", "Run the controller alone (`up` does it for you).")
    command("scheduler", "Run the scheduler alone (`up` does it for you).")
    worker = command("worker", "Run a worker alone (`up` does it for you).")
    worker.add_argument("--host", required=True, metavar="NAME", help="the name of the host that it serves")
    worker.add_argument("--slots", type=_slots, metavar="N", help="slots of the host (default: its processors)")
    commands.add_parser("version", help="Print the version.", description="Print the version.")
    return parser


def _slots(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"`{text}` is no slot count: a whole number from 1 to 100000")
    return int(text)


def run(argv: Sequence[str]) -> int:
    """Parse and run; imports are late, so that each process loads only its own part."""
    arguments = _parser().parse_args(argv)
    if arguments.command == "version":
        from xceserver.boot.version import VERSION

        print(VERSION)
        return 0
    top = TopDir((arguments.top.expanduser() if arguments.top else default_top(os.environ)).absolute())
    match arguments.command:
        case "up" | "status" | "down":
            from xceserver.boot import up

            if arguments.command == "status":
                return up.status(top, is_json=arguments.json)
            if arguments.command == "down":
                return up.down(top)
            start = up.detach if arguments.detach else up.up
            return start(top, slots=arguments.slots, environ=os.environ)
        case "controller":
            from xceserver.boot.controller import ignore_interrupt, run_controller

            ignore_interrupt()
            return run_controller(top)
        case "scheduler":
            from xceserver.boot.clock import SystemClock
            from xceserver.boot.heap import settle_heap
            from xceserver.boot.version import VERSION
            from xceserver.sched.process import run_scheduler

            settle_heap()
            return run_scheduler(top.socket, SystemClock(), version=VERSION)
        case _:
            from xceserver.boot.worker import run_host_worker

            return run_host_worker(top, host=arguments.host, slots=arguments.slots)


def entry() -> None:
    """The console script: the one place where failures become words and a number."""
    try:
        code = run(sys.argv[1:])
    except XceError as error:
        print(f"xceserver: error: {error.message}", file=sys.stderr)
        if error.detail:
            print(error.detail, file=sys.stderr)
        for hint in error.hints:
            print(f"hint: {hint}", file=sys.stderr)
        code = error.exit_status
    except KeyboardInterrupt:
        code = ExitStatus.INTERRUPTED
    except BrokenPipeError:
        code = ExitStatus.OK
    except Exception:  # a bug keeps its traceback, here where every daemon ends
        traceback.print_exc()
        print("hint: this is a bug in XCE; report it with the lines above", file=sys.stderr)
        code = ExitStatus.INTERNAL
    sys.exit(code)


if __name__ == "__main__":
    entry()
