"""The normative cases and examples are copies, equal to the originals where those are at hand."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
COPIES = (("cases", "cases"), ("examples/config", "examples/config"))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_copies_hold_the_normative_files() -> None:
    assert "merge.yaml" in _files(ROOT / "tests/cases")
    assert {"xce.yaml", "applications.yaml"} <= _files(ROOT / "tests/examples/config").keys()


def test_the_copies_equal_the_originals_where_those_exist() -> None:
    originals = {copy: _files(SHARED / original) for original, copy in COPIES if (SHARED / original).is_dir()}
    copies = {copy: _files(ROOT / "tests" / copy) for copy in originals}
    assert copies == originals
