"""Finding the server: the flag, the variables, one's own cluster, the system's; and the width of the output."""

from functools import partial
from pathlib import Path

import pytest

from tests.kit.cli import a_world
from xcecli.kit.io import Io
from xcecli.kit.settings import find_server, own_top
from xcelib.errors import Unreachable, Usage


def listening(top: Path) -> Path:
    path = top / "run" / "xce.sock"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_the_order_is_flag_server_top_own_system(tmp_path: Path) -> None:
    system, own = listening(tmp_path / "system"), listening(tmp_path / "data" / "xce")
    find = partial(find_server, uid=1000, system_top=tmp_path / "system")
    environ = {"XCE_SERVER": "unix:/server", "XCE_TOP": "/top", "XDG_DATA_HOME": str(tmp_path / "data")}
    found = [find("unix:/flag", environ), find(None, environ)]
    for name in ("XCE_SERVER", "XCE_TOP", "XDG_DATA_HOME"):
        del environ[name]
        found.append(find(None, environ))
    assert [str(each.socket) for each in found] == ["/flag", "/server", "/top/run/xce.sock", str(own), str(system)]
    assert [each.origin for each in found] == [
        "--server", "XCE_SERVER", "XCE_TOP", "your own cluster", "the system's cluster",
    ]  # fmt: skip


def test_no_cluster_is_told_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(Unreachable) as caught:
        find_server(None, {"HOME": "/home/ann"}, uid=1000, system_top=tmp_path / "system")
    assert caught.value.message == (
        "no cluster runs here: neither `/home/ann/.local/share/xce/run/xce.sock` "
        f"nor `{tmp_path}/system/run/xce.sock` exists"
    )
    assert caught.value.hints[0] == "start one with `xceserver up`"


@pytest.mark.parametrize(("text", "path"), [("unix:/a/b", "/a/b"), ("unix:///a/b", "/a/b")])
def test_an_address_is_the_path_of_a_socket(text: str, path: str) -> None:
    assert str(find_server(text, {})) == f"unix:{path}"


def test_a_relative_address_begins_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_server("unix:s", {}).socket == tmp_path / "s"
    assert find_server(None, {"XCE_TOP": "t"}).socket == tmp_path / "t" / "run" / "xce.sock"


@pytest.mark.parametrize("text", ["/a/b", "unix", "unix:", "tcp:1", "http://h", "https://h:1/"])
def test_what_is_no_address_is_refused_with_the_setting_that_said_it(text: str) -> None:
    for flag, environ, origin in ((text, {}, "--server"), (None, {"XCE_SERVER": text}, "XCE_SERVER")):
        with pytest.raises(Usage) as caught:
            find_server(flag, environ)
        assert caught.value.message.startswith(f"{origin}: `{text}`")


def test_the_top_folder_of_root_is_the_systems() -> None:
    assert own_top({"HOME": "/root"}, uid=0) == Path("/var/lib/xce")


@pytest.mark.parametrize(
    ("columns", "is_terminal", "width"),
    [("100", False, 100), ("100", True, 100), ("0", True, 80), ("x", True, 80), ("", True, 80), ("", False, 10_000)],
)
def test_the_width_is_asked_for_or_the_terminals_and_files_have_no_bound(
    columns: str, is_terminal: bool, width: int
) -> None:
    plain = a_world()
    world = Io(
        inp=plain.inp, out=plain.out, err=plain.err, environ={"COLUMNS": columns}, cwd="/", umask=0,
        out_is_terminal=is_terminal,
    )  # fmt: skip
    assert world.width == width
