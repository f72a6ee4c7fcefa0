"""What a worker is told when it starts."""

from typing import Final

import msgspec

DAY_S: Final = 86_400


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Folders are absolute and exist or can be made. `slots` None: one a cpu.

    `output_max` bytes of output are kept an attempt, `retention_s` seconds after its end.
    """

    host: str
    server_socket: str
    state_dir: str
    run_dir: str
    spool_dir: str
    slots: int | None = None
    retention_s: float = 30 * DAY_S
    output_max: int = 100_000_000
