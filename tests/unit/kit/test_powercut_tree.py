import stat
from random import Random

from tests.kit.powercut_tree import SECTOR, Attributes, File, Folder, Node, a_root, after_cut, sync_all


def a_file(*, live: bytes = b"") -> File:
    node = File(Attributes(mode=stat.S_IFREG | 0o644))
    node.write(live, offset=0)
    return node


def a_folder() -> Folder:
    return Folder(Attributes(mode=stat.S_IFDIR | 0o755))


def found(root: Folder, name: str) -> bytes:
    node = root.live[name]
    assert isinstance(node, File)
    return bytes(node.live)


def test_synced_bytes_stay_and_later_ones_go_when_the_power_is_cut() -> None:
    root, node = a_root(), a_file(live=b"kept")
    root.live["f"] = node
    node.sync()
    root.sync()
    node.write(b" lost", offset=4)
    assert found(after_cut(root), "f") == b"kept"


def test_an_overwrite_is_undone_when_it_was_not_synced() -> None:
    root, node = a_root(), a_file(live=b"aaaa")
    root.live["f"] = node
    sync_all(root)
    node.write(b"bb", offset=1)
    assert found(after_cut(root), "f") == b"aaaa"


def test_a_truncation_is_kept_when_the_file_is_synced() -> None:
    root, node = a_root(), a_file(live=b"0123456789")
    root.live["f"] = node
    sync_all(root)
    node.truncate(3)
    node.truncate(6)
    assert found(after_cut(root), "f") == b"0123456789"
    node.sync()
    assert found(after_cut(root), "f") == b"012\0\0\0"


def test_a_write_beyond_the_end_leaves_a_hole_of_zeros_when_synced() -> None:
    root, node = a_root(), a_file(live=b"a")
    root.live["f"] = node
    node.write(b"b", offset=4)
    sync_all(root)
    assert found(after_cut(root), "f") == b"a\0\0\0b"


def test_a_new_file_is_gone_when_only_its_bytes_were_synced() -> None:
    root, node = a_root(), a_file(live=b"x")
    root.live["f"] = node
    node.sync()
    assert after_cut(root).live == {}


def test_a_new_file_is_empty_when_only_its_folder_was_synced() -> None:
    root = a_root()
    root.live["f"] = a_file(live=b"x")
    root.sync()
    assert found(after_cut(root), "f") == b""


def test_a_removed_file_is_back_when_its_folder_was_not_synced() -> None:
    root = a_root()
    root.live["f"] = a_file(live=b"x")
    sync_all(root)
    del root.live["f"]
    assert found(after_cut(root), "f") == b"x"
    root.sync()
    assert after_cut(root).live == {}


def test_a_folder_is_out_of_reach_when_its_own_entry_was_not_synced() -> None:
    root, folder = a_root(), a_folder()
    root.live["d"] = folder
    folder.live["f"] = a_file(live=b"x")
    folder.live["f"].sync()
    folder.sync()
    assert after_cut(root).live == {}
    root.sync()
    back = after_cut(root).live["d"]
    assert isinstance(back, Folder)
    assert found(back, "f") == b"x"


def test_attributes_go_back_when_they_were_not_synced() -> None:
    root, node = a_root(), a_file()
    root.live["f"] = node
    sync_all(root)
    node.attributes.mode = stat.S_IFREG | 0o600
    assert after_cut(root).live["f"].attributes.mode == stat.S_IFREG | 0o644
    node.sync()
    assert after_cut(root).live["f"].attributes.mode == stat.S_IFREG | 0o600


def test_a_hard_link_stays_one_file_after_a_cut() -> None:
    root, node = a_root(), a_file(live=b"x")
    root.live |= {"a": node, "b": node}
    sync_all(root)
    back = after_cut(root)
    assert back.live["a"] is back.live["b"]
    assert back.live["a"].names == 2


def test_a_link_keeps_its_target_after_a_cut() -> None:
    root = a_root()
    root.live["l"] = Node(Attributes(mode=stat.S_IFLNK | 0o777), target="there")
    root.sync()
    assert after_cut(root).live["l"].target == "there"


def test_a_second_cut_finds_the_same_tree_when_nothing_changed() -> None:
    root = a_root()
    root.live["f"] = a_file(live=b"x")
    sync_all(root)
    once = after_cut(root)
    assert found(after_cut(once), "f") == b"x"


def test_a_seeded_cut_keeps_whole_sectors_of_what_was_not_synced() -> None:
    root, node = a_root(), a_file()
    root.live["f"] = node
    sync_all(root)
    node.write(b"x" * (64 * SECTOR), offset=0)
    body = found(after_cut(root, rng=Random(1)), "f")
    sectors = {body[start : start + SECTOR] for start in range(0, len(body), SECTOR)}
    assert sectors == {b"x" * SECTOR, bytes(SECTOR)}  # some survived, some did not, none in part
    assert body == found(after_cut(root, rng=Random(1)), "f")
