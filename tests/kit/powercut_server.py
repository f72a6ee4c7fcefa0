"""The process that mounts the power-cut disk; started by `tests.kit.powercut`, ended by a signal."""

import argparse
import contextlib
import ctypes
import json
import logging
import os
import signal
import sys
from random import Random
from typing import Any, Final

import mfusepy

from tests.kit.powercut_fuse import PowerCutOperations, Switches
from tests.kit.powercut_tree import a_root, after_cut

_PR_SET_PDEATHSIG: Final = 1


class Mount(mfusepy.FUSE):
    """mfusepy's mount, with the handle that it leaves out of `ftruncate`."""

    def truncate_fuse_3(self, path: bytes | None, length: int, fip: Any) -> int:
        status: int = self.ftruncate(path, length, fip)
        return status


def serve(mount: str, switches: Switches) -> None:
    """Mount the tree; after each unmount mount what survived a cut, until ended by a signal."""
    root = a_root(uid=os.getuid(), gid=os.getgid())
    options = {"allow_other": True, "default_permissions": True} if os.getuid() == 0 else {}
    while True:
        operations = PowerCutOperations(root, switches, _print_line)
        with contextlib.suppress(RuntimeError):  # the mount was taken away by force: that is how a cut ends
            Mount(operations, mount, foreground=True, nothreads=True, fsname="powercut", **options)
        if not operations.is_mounted:
            sys.exit(1)  # libfuse has said why
        if switches.powered:
            return
        rng = None if switches.seed is None else Random(switches.seed)
        root, switches.powered, switches.seed = after_cut(root, rng=rng), True, None


def _print_line(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="mount a disk that forgets what was not synced")
    parser.add_argument("mount")
    parser.add_argument("--lying", action="store_true", help="fsync says yes and keeps nothing")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)  # the mount goes with the test run
    logging.getLogger("fuse").setLevel(logging.CRITICAL)  # every EIO after a cut is expected
    serve(arguments.mount, Switches(honest=not arguments.lying))


if __name__ == "__main__":
    main()
