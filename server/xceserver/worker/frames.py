"""Records in a file: one line each, `crc body`. A torn tail is forgiven, other damage is found and named. Pure."""

import zlib
from typing import NamedTuple

_HEAD = 9  # eight digits and a space


class Damage(NamedTuple):
    """Bytes before the last good record that are no record."""

    offset: int
    raw: bytes


class Frames(NamedTuple):
    """What a file holds: whole bodies in order, damage between them, and the length up to the last good one."""

    bodies: list[bytes]
    damages: list[Damage]
    good_length: int


def frame(body: bytes) -> bytes:
    """One record as it stands in the file."""
    assert b"\n" not in body, "a body is one line"
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_frames(raw: bytes) -> Frames:
    """Read all records. Damage after the last good one was never synced as a whole: it is torn, not named."""
    bodies: list[bytes] = []
    damages: list[Damage] = []
    suspects: list[Damage] = []
    offset = good_length = 0
    for text in raw.split(b"\n")[:-1]:
        end = offset + len(text) + 1
        if text[:_HEAD] == b"%08x " % zlib.crc32(text[_HEAD:]):
            bodies.append(text[_HEAD:])
            damages += suspects
            suspects = []
            good_length = end
        else:
            suspects.append(Damage(offset, text))
        offset = end
    return Frames(bodies, damages, good_length)
