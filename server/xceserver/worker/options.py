"""What a worker is told when it starts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """`socket` is the controller's. `slots` None: one a processor.

    The folders may be shared with other daemons, and with workers of other hosts: each worker has its own folder
    in `state_dir` and in `spool_dir`. The spool may be entered by every user: jobs find their scripts there.
    `output_max` bytes of output are kept an attempt, `retention_s` seconds after its end.
    """

    host: str
    socket: Path
    state_dir: Path
    run_dir: Path
    spool_dir: Path
    slots: int | None = None
    retention_s: float = 30 * DAY_S
    output_max: int = 100_000_000

    @property
    def state(self) -> str:
        """This worker's own folder: journal, locks, lost+found."""
        return str(self.state_dir.absolute() / f"worker-{self.host}")

    @property
    def spool(self) -> str:
        """This worker's attempts."""
        return str(self.spool_dir.absolute() / self.host)

    @property
    def run(self) -> str:
        return str(self.run_dir.absolute())

    @property
    def agent_socket(self) -> str:
        """Where the supervisors find the agent."""
        return f"{self.run}/worker-{self.host}.sock"
