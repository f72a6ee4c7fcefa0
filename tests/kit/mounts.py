"""Commands in a mount namespace of their own: another boot id, as after a reboot. Needs root."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_BIND_SCRIPT: Final = 'mount --bind -- "$1" "$2" && shift 2 && exec "$@"'


def new_boot_id(folder: Path, *, rng: Random) -> Path:
    """A file in `folder` with a boot id of its own, for `with_boot_id`."""
    boot_id = uuid.UUID(int=rng.getrandbits(128), version=4)
    path = folder / f"boot_id-{boot_id}"
    path.write_text(f"{boot_id}\n", encoding="ascii")
    return path


def with_boot_id(command: Sequence[str], *, boot_id: Path) -> list[str]:
    """The argument vector that runs `command` where the machine's boot id is what the file `boot_id` says.

    The command keeps its process id (unshare and sh exec), so a test may signal it; nothing outside its mount
    namespace sees the change, and mounts made outside before are seen inside.
    """
    bind = ["sh", "-c", _BIND_SCRIPT, "with_boot_id", str(boot_id), str(BOOT_ID)]
    return ["unshare", "--mount", "--propagation", "private", "--", *bind, *command]
