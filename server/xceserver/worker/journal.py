"""What the worker's journal holds, and what it tells at the next start. Pure; `writer` writes it."""

from typing import Final, NamedTuple

import msgspec

from xceserver.peer import AttemptKey, Declined, Ended
from xceserver.worker.frames import Damage, frame, read_frames


class Intent(msgspec.Struct, frozen=True, tag=True):
    """The attempt may be launched on this host: durable before the launcher hears of it, used once (G3)."""

    key: AttemptKey
    boot_id: str
    is_rerunnable: bool


class Finished(msgspec.Struct, frozen=True, tag=True):
    """The attempt's one end, kept until the controller has it."""

    end: Ended | Declined


class Acknowledged(msgspec.Struct, frozen=True, tag=True):
    """The controller has the ends of these attempts, or does not want them."""

    keys: tuple[AttemptKey, ...]


Record = Intent | Finished | Acknowledged
_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[Record]] = msgspec.json.Decoder(Record)


class OpenAttempt(NamedTuple):
    """An attempt that is not forgotten; `intent` None where only its end was readable."""

    intent: Intent | None
    end: Ended | Declined | None


class Loaded(NamedTuple):
    """A journal's content: open attempts, those that are over, and bytes that make no sense."""

    open: dict[AttemptKey, OpenAttempt]
    acknowledged: set[AttemptKey]
    damages: list[Damage]


def encode(record: Record) -> bytes:
    """The record as it stands in the file."""
    return frame(_ENCODER.encode(record))


def load(raw: bytes) -> Loaded:
    """Fold the records. Damage harms the records concerned only, and is handed back to be named."""
    frames = read_frames(raw)
    loaded = Loaded({}, set(), list(frames.damages))
    for body in frames.bodies:
        try:
            record = _DECODER.decode(body)
        except (msgspec.DecodeError, RecursionError):
            loaded.damages.append(Damage(raw.find(body), body))  # its checksum is right: another version's
            continue
        _fold(loaded, record)
    return loaded


def _fold(loaded: Loaded, record: Record) -> None:
    match record:
        case Intent(key=key):
            end = loaded.open[key].end if key in loaded.open else None
            loaded.open[key] = OpenAttempt(record, end)
        case Finished(end=end):
            before = loaded.open.get(end.key)
            loaded.open[end.key] = OpenAttempt(before.intent if before else None, end)
        case Acknowledged(keys=keys):
            for key in keys:
                loaded.open.pop(key, None)
                loaded.acknowledged.add(key)


def records_of(attempts: dict[AttemptKey, OpenAttempt]) -> list[Record]:
    """The fewest records that tell the same: what a compacted journal holds."""
    records: list[Record] = []
    for attempt in attempts.values():
        if attempt.intent is not None:
            records.append(attempt.intent)
        if attempt.end is not None:
            records.append(Finished(attempt.end))
    return records
