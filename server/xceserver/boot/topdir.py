"""The cluster's folder: where everything is, and the lock that makes it one cluster's."""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path

from xcelib.errors import BadConfiguration, ExitStatus, XceError
from xceserver.api.transport import SOCKET_PATH_MAX

# The owner's alone, but for what others must reach: the socket, and a job's own folder inside the spool.
FOLDERS = {
    "config": 0o755,
    "config/presets": 0o755,
    "state": 0o700,
    "log": 0o700,
    "run": 0o755,
    "spool": 0o711,
}


class InUse(XceError):
    code = "in_use"
    exit_status = ExitStatus.REFUSED


class TopDir:
    """Paths below the TopDir, which is `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config"
        self.state = path / "state"
        self.log = path / "log"
        self.run = path / "run"
        self.spool = path / "spool"
        self.socket = path / "run" / "xce.sock"
        self.database = path / "state" / "xce.db"
        self.first_configuration = path / "run" / "first-config.json"
        self.up_record = path / "run" / "up.json"

    def make(self) -> None:
        """Create what is missing."""
        if len(os.fsencode(self.socket)) > SOCKET_PATH_MAX:
            raise XceError(
                f"the path `{self.socket}` is too long for a socket (at most {SOCKET_PATH_MAX} bytes)",
                hints=["choose a shorter folder with `--top DIR` or XCE_TOP"],
            )
        try:
            _make(self.path, 0o755)
            for name, mode in FOLDERS.items():
                _make(self.path / name, mode)
        except OSError as error:
            raise XceError(
                f"cannot make the cluster's folder `{self.path}`: {error.strerror}",
                hints=["choose another with `--top DIR` or XCE_TOP"],
            ) from error


def refuse_what_is_not_read(top: TopDir) -> None:
    """Files that no feature reads yet are refused, never left lying as if they worked: `listen.tcp` above all
    would open a port that nothing guards."""
    for name in ("app.yaml", "auth.yaml"):
        if (top.config / name).exists():
            raise BadConfiguration(
                f"`{top.config / name}` is not supported yet",
                code="not_supported_yet",
                hints=["the API listens on the unix socket of this machine alone; remove the file"],
            )


def _make(folder: Path, mode: int) -> None:
    """Create the folder and what lies above it, each made durable in its parent: it survives a power cut."""
    if folder.is_dir():
        return
    _make(folder.parent, 0o755)
    folder.mkdir(mode=mode, exist_ok=True)
    descriptor = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def default_top(environ: Mapping[str, str]) -> Path:
    """`XCE_TOP`, else `/var/lib/xce` for root and the user's data folder for others."""
    if environ.get("XCE_TOP"):
        return Path(environ["XCE_TOP"]).absolute()
    if os.getuid() == 0:
        return Path("/var/lib/xce")
    from platformdirs import user_data_path

    return user_data_path("xce")


def lock(path: Path, *, what: str) -> int:
    """Take the lock file for as long as this process lives; raises `InUse` naming who has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise InUse(
            f"{what} already runs on `{path.parent.parent}` (pid {holder or 'unknown'})",
            hints=["look with `xceserver status`, stop it with `xceserver down`, or choose another `--top DIR`"],
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
