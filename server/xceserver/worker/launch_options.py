"""What the agent tells its launcher once, as JSON in its argument vector."""

from typing import Final

import msgspec

AGENT_FD: Final = 3
LOCK_FILE: Final = "launcher.lock"


class LauncherOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Paths are absolute. `output_max`: bytes of kept output an attempt."""

    host: str
    state: str
    spool: str
    agent_socket: str
    boot_id: str
    output_max: int
