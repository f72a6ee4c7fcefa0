"""The source files of a configuration: which there are, what each holds, and their bytes."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Final

from xceadmin.config.faults import Faults
from xceadmin.config.nodes import Place
from xceadmin.config.reader import BYTES_MAX
from xcelib.config import codes
from xcelib.errors import did_you_mean

PLAIN_FILE: Final = "xce.yaml"

# The files, in the order in which they are read: what declares stands before what names.
FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "xce.yaml": (),
    "resources.yaml": ("resources",),
    "hosts.yaml": ("hosts", "host_groups"),
    "queues.yaml": ("queues",),
    "applications.yaml": ("applications",),
    "users.yaml": ("user_groups", "roles", "grants"),
    "projects.yaml": ("projects",),
    "limits.yaml": ("limits",),
    "services.yaml": ("services",),
    "providers.yaml": ("providers",),
}
NOT_BUILT: Final = frozenset({"app.yaml", "auth.yaml"})  # the API reads them itself


def read_folder(folder: FilePath, faults: Faults) -> dict[str, bytes]:
    """The bytes of a folder's source files, by name, read once: what is checked is what is built.

    An absent folder is an empty one.
    """
    contents: dict[str, bytes] = {}
    for name in _yaml_names(folder, faults):
        try:
            contents[name] = _read_bounded(folder / name)
        except OSError as error:
            faults.add(
                Place(name, 1, 1),
                codes.UNREADABLE,
                f"cannot be read: {(error.strerror or str(error)).lower()}",
            )
    return contents


def refuse_unknown(names: Iterable[str], faults: Faults) -> None:
    """Record the files that would otherwise be ignored."""
    for name in names:
        if name not in FILES:
            hints = did_you_mean(name, FILES, otherwise=f"files are {', '.join(FILES)}")
            faults.add(Place(name, 1, 1), codes.UNKNOWN_FILE, f"`{name}` is no file of XCE's", hint=hints[0])


def _read_bounded(path: FilePath) -> bytes:
    """The file's bytes; of one that is too large just enough to see that."""
    with path.open("rb") as file:
        return file.read(BYTES_MAX + 1)


def _yaml_names(folder: FilePath, faults: Faults) -> Iterator[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        faults.add(Place(str(folder), 1, 1), codes.UNREADABLE, f"the folder cannot be read: {reason}")
        return
    yield from (name for name in names if name.endswith((".yaml", ".yml")) and name[0] != "." and name not in NOT_BUILT)
