"""The tools that tests use are copies; where the originals stand beside the repository, they are equal."""

import os

from tests.tidy.source import ROOT

TOOLS = sorted((ROOT / "tests" / "tools").iterdir())
ORIGINALS = ROOT.parent / "shared" / "tools"


def test_the_tools_can_be_run() -> None:
    assert [tool.name for tool in TOOLS] == ["with-systemd"]
    assert all(os.access(tool, os.X_OK) for tool in TOOLS)


def test_the_tools_equal_the_originals_where_those_exist() -> None:
    originals = {tool: (ORIGINALS / tool.name).read_bytes() for tool in TOOLS if ORIGINALS.is_dir()}
    assert {tool: tool.read_bytes() for tool in originals} == originals
