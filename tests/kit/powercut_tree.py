"""A file tree with two views: what is there now, and what would still be there after a power cut.

The rules are POSIX's, read as strictly as a file system may:
- the bytes and attributes of a file are kept by `fsync` or `fdatasync` of that file, nothing else;
- a folder's entries (create, rename, unlink, mkdir) are kept by `fsync` of that folder. An `fsync` of a file
  does not keep its own entry; ext4 would, and what relies on that is wrong elsewhere;
- an entry kept without its file's bytes is an empty file: the classic loss after `rename` without `fsync`;
- a symbolic link's target and the kind of a socket or pipe are kept with their entry.
"""

import itertools
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

SECTOR: Final = 512


@dataclass(slots=True, kw_only=True)
class Attributes:
    """What `stat` shows, less the size. Times in nanoseconds since the epoch."""

    mode: int
    uid: int = 0
    gid: int = 0
    rdev: int = 0
    accessed_ns: int = 0
    modified_ns: int = 0
    changed_ns: int = 0


_numbers: Final = itertools.count(2)


@dataclass(slots=True, eq=False)
class Node:
    """One inode; by itself a link, socket or pipe. `names` counts its live entries."""

    attributes: Attributes
    target: str = ""
    names: int = 1
    number: int = field(default_factory=lambda: next(_numbers))
    kept_attributes: Attributes = field(init=False)

    def __post_init__(self) -> None:
        self.kept_attributes = replace(self.attributes)

    @property
    def size(self) -> int:
        return len(self.target)

    def sync(self) -> None:
        """Make the live view of this node the kept one."""
        self.kept_attributes = replace(self.attributes)

    def survivor(self, rng: Random | None) -> "Node":
        """This node as found after a cut, with both views equal; folders come back empty."""
        del rng
        return Node(replace(self.kept_attributes), target=self.target)


@dataclass(slots=True, eq=False)
class File(Node):
    live: bytearray = field(default_factory=bytearray)
    kept: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, int]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.live)

    def write(self, data: bytes, *, offset: int) -> None:
        if offset > len(self.live):
            self.truncate(offset)
        self.live[offset : offset + len(data)] = data
        self._touched(offset, offset + len(data))

    def truncate(self, length: int) -> None:
        old = len(self.live)
        del self.live[length:]
        self.live.extend(bytes(length - len(self.live)))
        self._touched(min(old, length), max(old, length))

    def _touched(self, start: int, end: int) -> None:
        if self.unsynced and self.unsynced[-1][1] == start:
            start = self.unsynced.pop()[0]
        self.unsynced.append((start, end))

    def sync(self) -> None:
        self.kept_attributes = replace(self.attributes)
        _fit(self.kept, len(self.live))
        for start, end in self.unsynced:
            self.kept[start:end] = self.live[start:end]
        self.unsynced.clear()

    def survivor(self, rng: Random | None) -> "File":
        """With `rng`, each sector that was not synced had an even chance to reach the disk, in no order."""
        body = bytearray(self.kept)
        for start, end in self._lucky_sectors(rng) if rng else ():
            _fit(body, max(len(body), end))
            body[start:end] = self.live[start:end]
        return File(replace(self.kept_attributes), live=body, kept=bytearray(body))

    def _lucky_sectors(self, rng: Random) -> Iterator[tuple[int, int]]:
        for start, end in self.unsynced:
            for sector in range(start // SECTOR * SECTOR, min(end, len(self.live)), SECTOR):
                if rng.random() < 0.5:
                    yield max(sector, start), min(sector + SECTOR, end, len(self.live))


def _fit(body: bytearray, length: int) -> None:
    del body[length:]
    body.extend(bytes(length - len(body)))


@dataclass(slots=True, eq=False)
class Folder(Node):
    live: dict[str, Node] = field(default_factory=dict)
    kept: dict[str, Node] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return 4096

    def sync(self) -> None:
        self.kept_attributes = replace(self.attributes)
        self.kept = dict(self.live)

    def survivor(self, rng: Random | None) -> "Folder":
        del rng
        return Folder(replace(self.kept_attributes))


def a_root(*, uid: int = 0, gid: int = 0) -> Folder:
    """An empty, kept root folder."""
    return Folder(Attributes(mode=stat.S_IFDIR | 0o755, uid=uid, gid=gid), number=1)


def walk(folder: Folder) -> Iterator[Node]:
    """Every live node below `folder`, and itself."""
    yield folder
    for node in folder.live.values():
        if isinstance(node, Folder):
            yield from walk(node)
        else:
            yield node


def sync_all(root: Folder) -> None:
    """What `sync` does to a whole disk."""
    for node in walk(root):
        node.sync()


def after_cut(root: Folder, *, rng: Random | None = None) -> Folder:
    """The tree that is found when the power is back: only what was kept, in both views.

    A node with several kept names (a hard link, a rename kept in one of two folders) stays one node.
    """
    found: dict[Node, Node] = {}

    def visit(node: Node) -> Node:
        if node in found:
            found[node].names += 1
            return found[node]
        survivor = found[node] = node.survivor(rng)
        if isinstance(node, Folder) and isinstance(survivor, Folder):
            survivor.live = {name: visit(child) for name, child in node.kept.items()}
            survivor.kept = dict(survivor.live)
        return survivor

    survivor = visit(root)
    assert isinstance(survivor, Folder)
    return survivor
