"""Golden files: what people read, kept to the letter. `pytest --bless` rewrites them; the difference is read in review."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "golden"
_FILTERS = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"), "[TIME]"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
]


def filtered(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in _FILTERS:
        text = pattern.sub(word, text)
    return text


def assert_golden(name: str, text: str, *, bless: bool) -> None:
    """Compare with the stored file `name` under `tests/golden`."""
    path = FOLDER / name
    if bless:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filtered(text), encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert filtered(text) == kept, f"tests/golden/{name} changed: look, then run pytest --bless"
