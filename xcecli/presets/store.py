"""The user's presets: one TOML file each, written atomically under a lock, with numbered backups."""

import fcntl
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xcelib.errors import Refused, Unknown, Usage, XceError, did_you_mean
from xcelib.presets import Preset, check_preset_name, is_preset_name, preset_of

BACKUPS = 5
FILE_BYTES_MAX = 64 << 10


def preset_folder(environ: Mapping[str, str]) -> Path:
    """`XCE_PRESET_DIR`, else `<user config dir>/xce/presets`."""
    if environ.get("XCE_PRESET_DIR"):
        return Path(environ["XCE_PRESET_DIR"])
    base = environ.get("XDG_CONFIG_HOME") or f"{environ.get('HOME', '/')}/.config"
    return Path(base) / "xce" / "presets"


class PresetStore:
    """Reads and writes the folder. A file that is no preset never hides the others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.toml") if is_preset_name(path.stem))

    def path(self, name: str) -> Path:
        return self.folder / f"{check_preset_name(name)}.toml"

    def load(self, name: str) -> Preset:
        """Raises `Unknown`, or `Usage` naming the file and the place."""
        path = self.path(name)
        try:
            if path.resolve(strict=True).parent != self.folder.resolve():
                raise Usage(f"`{path}` leads out of the folder of presets", code="bad_preset")
            if path.stat().st_size > FILE_BYTES_MAX:
                raise Usage(f"`{path}` is larger than {FILE_BYTES_MAX} bytes", code="too_large")
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            hints = did_you_mean(
                name, self.names(), otherwise="`xcecli preset list` shows yours, `--remote` the site's"
            )
            raise Unknown(f"you have no preset `{name}`", code="unknown_preset", hints=hints) from None
        except (OSError, UnicodeDecodeError) as error:
            raise Usage(f"`{path}` cannot be read: {error}", code="bad_preset") from error
        return parse_preset(text, where=str(path))

    def save(self, name: str, document: Mapping[str, Any], *, is_forced: bool) -> Path:
        """Write the preset; an existing one only when forced, and it stays as `.bak.1`."""
        import tomli_w

        path = self.path(name)
        preset_of(document)
        with self._locked():
            if path.exists() and not is_forced:
                hints = ["replace it with `--force`"]
                raise Refused(f"you have a preset `{name}` already", code="preset_exists", hints=hints)
            aside = self._written_aside(path, tomli_w.dumps(document))
            if path.exists():
                self._back_up(path)
            aside.replace(path)
        return path

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Nobody else changes the folder meanwhile; what cannot be written is told with the folder's name."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(self.folder / ".lock", "ab", opener=_private) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise XceError(f"cannot write presets in `{self.folder}`: {error.strerror}", code="cannot_write") from error

    def _back_up(self, path: Path) -> None:
        for number in range(BACKUPS - 1, 0, -1):
            older = path.with_suffix(f".toml.bak.{number}")
            if older.exists():
                older.replace(path.with_suffix(f".toml.bak.{number + 1}"))
        os.link(path, path.with_suffix(".toml.bak.1"))  # what replaces the preset is another file

    def _written_aside(self, path: Path, text: str) -> Path:
        """A file beside `path` that holds the text, on disk."""
        aside = path.with_suffix(".toml.new")
        with open(aside, "w", encoding="utf-8", opener=_private) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return aside


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def parse_preset(text: str, *, where: str) -> Preset:
    """The preset of a TOML text; `where` names it in errors."""
    try:
        return preset_of(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise Usage(f"`{where}` is no TOML: {error}", code="bad_preset") from error
    except Usage as error:
        raise Usage(f"`{where}`: {error.message}", code=error.code, hints=error.hints, faults=error.faults) from error
