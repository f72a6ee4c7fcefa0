"""The site's presets: one TOML file each, read again when it changes; a broken one never breaks the others."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from xcelib.errors import XceError
from xcelib.wire import PresetRow

FILE_BYTES_MAX = 64 << 10


class PresetFolder:
    """Looks at modification time and size at each request; needs no restart and no apply."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, int], str, PresetRow] | tuple[tuple[int, int], None, None]] = {}

    def rows(self) -> list[PresetRow]:
        """Those that parse, by name."""
        return [row for _, row in self._valid()]

    def text(self, name: str) -> tuple[str, str] | None:
        """The file's text and its hash; None where there is no such valid preset."""
        return next(((text, row.hash) for text, row in self._valid() if row.name == name), None)

    def _valid(self) -> Iterator[tuple[str, PresetRow]]:
        try:
            paths = sorted(self._folder.glob("*.toml"))
        except OSError:
            return
        for path in paths:
            found = self._read(path)
            if found is not None:
                yield found

    def _read(self, path: Path) -> tuple[str, PresetRow] | None:
        try:
            status = path.stat()
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(path.name)
        if known is None or known[0] != stamp:
            try:
                text, row = self._parse(path, status.st_size)
                self._known[path.name] = (stamp, text, row)
            except (XceError, OSError, ValueError) as error:
                print(f"preset skipped file={path} error={error}", file=sys.stderr)
                self._known[path.name] = (stamp, None, None)
        entry = self._known[path.name]
        return None if entry[1] is None or entry[2] is None else (entry[1], entry[2])

    def _parse(self, path: Path, size: int) -> tuple[str, PresetRow]:
        from xcelib.presets import is_preset_name, preset_of  # with the table of options: not for the start

        if not is_preset_name(path.stem):
            raise XceError(f"`{path.stem}` is no name of a preset")
        if size > FILE_BYTES_MAX:
            raise XceError(f"larger than {FILE_BYTES_MAX} bytes")
        text = path.read_text(encoding="utf-8")
        preset = preset_of(tomllib.loads(text))
        return text, PresetRow(name=path.stem, description=preset.description, hash=preset.hash, size=size)
