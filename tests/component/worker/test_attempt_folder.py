"""An attempt's folder on a real file system: the gate, the lock, addresses of any length, clearing away."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from xceserver.peer import AttemptKey
from xceserver.worker import folder

KEY = AttemptKey(7, 0, 2)


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[int]:
    fd = folder.open_folder(str(tmp_path))
    yield fd
    os.close(fd)


def made(spool: int) -> tuple[int, int]:
    return folder.make_folder(spool, KEY, boot_id="b", mode=0o700)


def test_an_attempt_passes_the_gate_once(spool: int) -> None:
    for fd in made(spool):
        os.close(fd)
    with pytest.raises(FileExistsError):
        made(spool)


def test_an_attempt_that_was_put_away_does_not_pass_the_gate_again(spool: int, tmp_path: Path) -> None:
    (tmp_path / folder.DONE / str(KEY)).mkdir(parents=True)
    with pytest.raises(FileExistsError):
        made(spool)


def test_the_lock_is_held_as_long_as_its_descriptor_lives(spool: int) -> None:
    at, lock = made(spool)
    assert folder.is_lock_held(at)
    copy = os.dup(lock)  # what a fork has
    os.close(lock)
    assert folder.is_lock_held(at)
    os.close(copy)
    assert not folder.is_lock_held(at)
    os.close(at)


def test_a_folder_is_never_reached_over_a_link(spool: int, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        folder.open_folder("link", within=spool)


def test_a_socket_is_bound_below_a_path_that_no_address_could_hold(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 200)
    deep.mkdir()
    at = folder.open_folder(str(deep))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ctl:
        ctl.bind(folder.address(at, folder.CTL))
        assert (deep / folder.CTL).is_socket()
    os.close(at)


def test_clearing_away_follows_no_link_and_needs_no_permission_of_the_jobs(spool: int, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    tree = tmp_path / "tree"
    (tree / "sealed" / "inner").mkdir(parents=True)
    (tree / "link").symlink_to(outside)
    (tree / "sealed").chmod(0)
    folder.remove_tree(spool, "tree")
    folder.remove_tree(spool, "tree")
    assert not tree.exists()
    assert (outside / "kept").exists()


def test_clearing_away_a_deep_tree_costs_neither_stack_nor_descriptors(spool: int, tmp_path: Path) -> None:
    at = tmp_path / "tree"
    at.mkdir()
    deepest = os.open(at, os.O_RDONLY)
    for number in range(3000):
        for name in ("d", f"file{number}"):
            (os.mkdir if name == "d" else os.mknod)(name, dir_fd=deepest)
        deeper = os.open("d", os.O_RDONLY, dir_fd=deepest)
        os.close(deepest)
        deepest = deeper
    os.close(deepest)
    folder.remove_tree(spool, "tree")
    assert not at.exists()


def test_clearing_away_is_not_misled_by_names_like_its_own(spool: int, tmp_path: Path) -> None:
    for number in range(5):
        for name in (f".up{number}", f"x/y/.up{number}"):
            (tmp_path / "tree" / name / "z").mkdir(parents=True)
    folder.remove_tree(spool, "tree")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["7.0.2.x", "7.0", "-7.0.2", "7.0.2\n", "done", "٧.0.2", ""])
def test_a_name_of_something_else_names_no_attempt(name: str) -> None:
    assert folder.key_of(name) is None
    assert folder.key_of(str(KEY)) == KEY
