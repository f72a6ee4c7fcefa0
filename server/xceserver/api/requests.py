"""Reading requests: bounded, strict, and refused in words that name the place."""

import re
from collections.abc import Collection, Sequence
from typing import TypeVar

import msgspec
import msgspec.inspect
from starlette.requests import Request

from xcelib.errors import Fault, TooLarge, Usage, did_you_mean
from xcelib.speccheck import shown

T = TypeVar("T")

BODY_MAX = 4 << 20
BULK_BODY_MAX = 64 << 20
CONFIG_BODY_MAX = 256 << 20
_PLACE = re.compile(r" - at (?:`key` in )?`\$(.*)`$")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_KEY = re.compile(r"[\x21-\x7e]{1,128}\Z")


async def read_body(request: Request, *, limit: int) -> bytes:
    """The body, refused with 413 as soon as it is known to be larger than `limit` bytes."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the body is larger than {limit} bytes")


def decode(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The typed body. NaN and infinity are no JSON; what nests too deep for the decoder is refused by it."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _wrong_shape(str(error), decoder) from error
    except RecursionError as error:
        raise Usage("the body nests too deep", code="too_deep") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Usage(f"the body is no JSON: {error}", code="bad_json") from error


def _wrong_shape(message: str, decoder: "msgspec.json.Decoder[T]") -> Usage:
    """The decoder's words with the place as a JSON pointer, and the nearest field for an unknown one."""
    place = _PLACE.search(message)
    text = message[: place.start()] if place else message
    steps = ["".join(step) for step in _STEP.findall(place[1])] if place else []
    pointer = "".join(f"/{step}" for step in steps)
    unknown = _UNKNOWN_FIELD.match(text)
    if unknown is None:
        text = text[:1].lower() + text[1:]
        fault = Fault(path=pointer, code="bad_field", message=text)
        return Usage(f"{pointer or '/'}: {text}", code="bad_field", faults=[fault])
    name = unknown[1]
    hints = did_you_mean(name, _fields_at(msgspec.inspect.type_info(decoder.type), steps))
    text = f"the field `{shown(name)}` does not exist"
    fault = Fault(path=f"{pointer}/{shown(name)}", code="unknown_field", message=text, hint="".join(hints))
    return Usage(f"{fault.path}: {text}", code="unknown_field", hints=hints, faults=[fault])


def _fields_at(kind: msgspec.inspect.Type, steps: Sequence[str]) -> list[str]:
    """The names of the fields that an object may have at a place of the body."""
    match kind:
        case msgspec.inspect.Metadata(type=inner):
            return _fields_at(inner, steps)
        case msgspec.inspect.UnionType(types=parts):
            return [name for part in parts for name in _fields_at(part, steps)]
        case msgspec.inspect.VarTupleType(item_type=item):
            return _fields_at(item, steps[1:])
        case msgspec.inspect.StructType(fields=fields) if steps:
            return [name for field in fields if field.name == steps[0] for name in _fields_at(field.type, steps[1:])]
        case msgspec.inspect.StructType(fields=fields):
            return [field.name for field in fields]
    return []


def check_query(request: Request, known: Collection[str]) -> None:
    """Refuse query parameters that mean nothing here, and repeated ones."""
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in known:
            raise Usage(
                f"the query parameter `{shown(name)}` does not exist",
                code="unknown_parameter",
                hints=did_you_mean(name, known),
            )
        if name in seen:
            raise Usage(f"the query parameter `{name}` is given twice", code="repeated_parameter")
        seen.add(name)


def query_int(request: Request, name: str, default: int | None, *, least: int, most: int) -> int | None:
    """A whole number of the query within its bounds."""
    text = request.query_params.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18 or not least <= int(text) <= most:
        raise Usage(
            f"`{name}` is a whole number from {least} to {most}, not `{shown(text[:32])}`", code="bad_parameter"
        )
    return int(text)


def query_choice(request: Request, name: str, choices: Collection[str], default: str) -> str:
    text = request.query_params.get(name, default)
    if text not in choices:
        raise Usage(f"`{name}` is one of {', '.join(choices)}, not `{shown(text[:32])}`", code="bad_parameter")
    return text


def idempotency_key(request: Request, *, uid: int) -> str:
    """The caller's key, scoped by user; empty where there is none."""
    text = request.headers.get("idempotency-key", "")
    if text and _KEY.match(text) is None:
        raise Usage("an Idempotency-Key has 1 to 128 printable ASCII characters", code="bad_idempotency_key")
    return f"{uid}:{text}" if text else ""
