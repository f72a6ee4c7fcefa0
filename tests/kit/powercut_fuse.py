"""The operations of the power-cut disk, as the kernel asks for them (see `powercut_tree` for what is kept).

One thread: an operation, or a control request (an extended attribute set on the root), is done before the
next begins, so a cut falls between two operations. While the power is off every operation fails with EIO.
Locks and mappings are the kernel's own: there is no other way to the tree than through this mount.
"""

import errno
import json
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import mfusepy

from tests.kit.powercut_tree import Attributes, File, Folder, Node, sync_all, walk

CONTROL: Final = "user.powercut"
_BLOCK: Final = 4096
NodeKind = TypeVar("NodeKind", bound=Node)


@dataclass(kw_only=True)
class Switches:
    """What a test may change while the disk is mounted."""

    honest: bool = True  # False: fsync says yes and keeps nothing
    capacity: int = 1 << 30
    powered: bool = True
    syncs_until_cut: int = 0  # 0: no cut is due
    seed: int | None = None  # of the next cut: which unsynced sectors reach the disk
    counts: dict[str, int] = field(default_factory=lambda: {"fsync": 0, "fsyncdir": 0})


class PowerCutOperations(mfusepy.Operations):
    """The operations of one mount over one tree."""

    use_ns = True

    def __init__(self, root: Folder, switches: Switches, report: Callable[[dict[str, object]], None]) -> None:
        self.root = root
        self._switches = switches
        self._report = report
        self.is_mounted = False
        self._handles: dict[int, Node] = {}
        self._next_handle = 1
        self._used = 0  # at least what is used; counted anew before it is believed

    # --- finding nodes ---

    def _need_power(self) -> None:
        if not self._switches.powered:
            raise mfusepy.FuseOSError(errno.EIO)

    def _node(self, path: str, kind: type[NodeKind]) -> NodeKind:
        self._need_power()
        node: Node = self.root
        for name in path.split("/"):
            if name:
                if not isinstance(node, Folder):
                    raise mfusepy.FuseOSError(errno.ENOTDIR)
                if name not in node.live:
                    raise mfusepy.FuseOSError(errno.ENOENT)
                node = node.live[name]
        if not isinstance(node, kind):
            raise mfusepy.FuseOSError(errno.ENOTDIR if kind is Folder else errno.EISDIR)
        return node

    def _at(self, path: str | None, handle: int | None, kind: type[NodeKind]) -> NodeKind:
        """By handle where there is one: an unlinked file has no path."""
        self._need_power()
        node = self._handles.get(handle or 0)
        if isinstance(node, kind):
            return node
        if path is None:
            raise mfusepy.FuseOSError(errno.ENOENT)
        return self._node(path, kind)

    def _place(self, path: str) -> tuple[Folder, str]:
        parent, _, name = path.rpartition("/")
        return self._node(parent, Folder), name

    def _opened(self, node: Node) -> int:
        handle, self._next_handle = self._next_handle, self._next_handle + 1
        self._handles[handle] = node
        return handle

    # --- attributes ---

    def getattr(self, path: str | None, fh: int | None = None) -> dict[str, Any]:
        node = self._at(path, fh, Node)
        seen = node.attributes
        return {
            "st_ino": node.number,
            "st_mode": seen.mode,
            "st_nlink": node.names,
            "st_uid": seen.uid,
            "st_gid": seen.gid,
            "st_rdev": seen.rdev,
            "st_size": node.size,
            "st_blocks": -(-node.size // 512),
            "st_atime": seen.accessed_ns,
            "st_mtime": seen.modified_ns,
            "st_ctime": seen.changed_ns,
        }

    def chmod(self, path: str | None, mode: int) -> int:
        node = self._at(path, None, Node)
        node.attributes.mode = stat.S_IFMT(node.attributes.mode) | stat.S_IMODE(mode)
        return 0

    def chown(self, path: str | None, uid: int, gid: int) -> int:
        seen = self._at(path, None, Node).attributes
        seen.uid, seen.gid = (seen.uid if uid == -1 else uid), (seen.gid if gid == -1 else gid)
        return 0

    def utimens(self, path: str | None, times: tuple[int, int] | None = None) -> int:
        seen = self._at(path, None, Node).attributes
        seen.accessed_ns, seen.modified_ns = times or (time.time_ns(), time.time_ns())
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        self._need_power()
        free = max(0, self._switches.capacity - self._count_used()) // _BLOCK
        blocks = self._switches.capacity // _BLOCK
        return {"f_bsize": _BLOCK, "f_frsize": _BLOCK, "f_blocks": blocks, "f_bfree": free, "f_bavail": free,
                "f_files": 1 << 20, "f_ffree": 1 << 19, "f_favail": 1 << 19, "f_namemax": 255}  # fmt: skip

    # --- entries ---

    def _new(self, mode: int, rdev: int = 0) -> Attributes:
        uid, gid, _ = mfusepy.fuse_get_context()
        now = time.time_ns()
        return Attributes(mode=mode, uid=uid, gid=gid, rdev=rdev, accessed_ns=now, modified_ns=now, changed_ns=now)

    def _enter(self, path: str, node: Node) -> None:
        folder, name = self._place(path)
        folder.live[name] = node
        folder.attributes.modified_ns = time.time_ns()

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        node = File(self._new(stat.S_IFREG | mode))
        self._enter(path, node)
        return self._opened(node)

    def mknod(self, path: str, mode: int, dev: int) -> int:
        attributes = self._new(mode, rdev=dev)
        self._enter(path, File(attributes) if stat.S_ISREG(mode) else Node(attributes))
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        self._enter(path, Folder(self._new(stat.S_IFDIR | mode), names=2))
        return 0

    def symlink(self, target: str, source: str) -> int:
        self._enter(target, Node(self._new(stat.S_IFLNK | 0o777), target=source))
        return 0

    def readlink(self, path: str) -> str:
        return self._node(path, Node).target

    def link(self, target: str, source: str) -> int:
        node = self._node(source, Node)
        self._enter(target, node)
        node.names += 1
        return 0

    def unlink(self, path: str) -> int:
        folder, name = self._place(path)
        folder.live.pop(name).names -= 1
        return 0

    def rmdir(self, path: str) -> int:
        if self._node(path, Folder).live:
            raise mfusepy.FuseOSError(errno.ENOTEMPTY)
        folder, name = self._place(path)
        del folder.live[name]
        return 0

    def rename(self, old: str, new: str) -> int:
        source, name = self._place(old)
        target, new_name = self._place(new)
        replaced = target.live.get(new_name)
        if isinstance(replaced, Folder) and replaced.live:
            raise mfusepy.FuseOSError(errno.ENOTEMPTY)
        if replaced is not None:
            replaced.names -= 1
        target.live[new_name] = source.live.pop(name)
        return 0

    def readdir(self, path: str, fh: int) -> Iterator[tuple[str, dict[str, int], int]]:
        folder = self._node(path, Folder)
        for name in (".", ".."):
            yield name, {"st_mode": stat.S_IFDIR}, 0
        for name, node in folder.live.items():
            yield name, {"st_mode": node.attributes.mode, "st_ino": node.number}, 0

    # --- bytes ---

    def open(self, path: str, flags: int) -> int:
        return self._opened(self._node(path, File))

    def release(self, path: str | None, fh: int) -> int:
        self._handles.pop(fh, None)  # also while the power is off
        return 0

    def read(self, path: str | None, size: int, offset: int, fh: int) -> bytes:
        return bytes(self._at(path, fh, File).live[offset : offset + size])

    def write(self, path: str | None, data: bytes, offset: int, fh: int) -> int:
        node = self._at(path, fh, File)
        self._need_room(offset + len(data) - node.size)
        node.write(data, offset=offset)
        node.attributes.modified_ns = node.attributes.changed_ns = time.time_ns()
        return len(data)

    def truncate(self, path: str | None, length: int, fh: int | None = None) -> int:
        node = self._at(path, fh, File)
        self._need_room(length - node.size)
        node.truncate(length)
        node.attributes.modified_ns = node.attributes.changed_ns = time.time_ns()
        return 0

    def _need_room(self, growth: int) -> None:
        if growth <= 0:
            return
        self._used += growth
        if self._used > self._switches.capacity:
            self._used = self._count_used() + growth
        if self._used > self._switches.capacity:
            raise mfusepy.FuseOSError(errno.ENOSPC)

    def _count_used(self) -> int:
        return sum(node.size for node in {*walk(self.root), *self._handles.values()} if isinstance(node, File))

    # --- keeping ---

    def fsync(self, path: str | None, datasync: int, fh: int) -> int:
        return self._sync(self._at(path, fh, Node), "fsync")

    def fsyncdir(self, path: str | None, datasync: int, fh: int) -> int:
        return self._sync(self._at(path, fh, Folder), "fsyncdir")

    def opendir(self, path: str) -> int:
        return self._opened(self._node(path, Folder))

    def releasedir(self, path: str | None, fh: int) -> int:
        return self.release(path, fh)

    def _sync(self, node: Node, kind: str) -> int:
        if self._switches.honest:
            node.sync()
        self._switches.counts[kind] += 1
        if self._switches.syncs_until_cut:
            self._switches.syncs_until_cut -= 1
            if not self._switches.syncs_until_cut:
                self._switches.powered = False  # kept, but nobody is told
        self._need_power()
        return 0

    # --- control ---

    def setxattr(self, path: str, name: str, value: bytes, options: int, position: int = 0) -> int:
        if path != "/" or name != CONTROL:
            raise mfusepy.FuseOSError(errno.EOPNOTSUPP)
        request = json.loads(value)
        if request.pop("settle", False):
            sync_all(self.root)
        for switch, setting in request.items():
            setattr(self._switches, switch, setting)
        self._report(dict(self._switches.counts))
        return 0

    def init_with_config(self, conn_info: Any, config_3: Any) -> None:
        config_3.hard_remove = 1  # an open file may lose its last name: its operations come without a path
        config_3.use_ino = config_3.kernel_cache = 1  # nobody changes the tree but through the kernel
        self.is_mounted = True
        self._report({"mounted": True})
