"""Records as bytes: MessagePack behind a CRC, so that damage is found and named, never decoded (G11)."""

import zlib
from typing import TypeVar

import msgspec

from xceserver.core.records import Element, Generation, Host, Job, QueueAdmin, decode_hook, encode_hook

T = TypeVar("T")

_ENCODER = msgspec.msgpack.Encoder(enc_hook=encode_hook)
_JOB = msgspec.msgpack.Decoder(Job, dec_hook=decode_hook)
_ELEMENT = msgspec.msgpack.Decoder(Element)
_HOST = msgspec.msgpack.Decoder(Host)
_QUEUE = msgspec.msgpack.Decoder(QueueAdmin)
_GENERATION = msgspec.msgpack.Decoder(Generation)


class DamagedRecord(Exception):
    """A record's bytes are not what was written."""


def pack(value: object) -> bytes:
    """The record as kept; an empty or zeroed one can never be valid."""
    body = _ENCODER.encode(value)
    return zlib.crc32(body).to_bytes(4, "big") + body


def body_of(raw: bytes) -> bytes:
    """The checked body of a record; raises `DamagedRecord`."""
    body = raw[4:]
    if len(raw) < 5 or zlib.crc32(body).to_bytes(4, "big") != raw[:4]:
        raise DamagedRecord(f"checksum does not match ({len(raw)} bytes)")
    return body


def _decode(raw: bytes, decoder: "msgspec.msgpack.Decoder[T]") -> T:
    try:
        return decoder.decode(body_of(raw))
    except msgspec.MsgspecError as error:
        raise DamagedRecord(str(error)) from error


def pack_job(job: Job) -> bytes:
    """A job without its elements: they have records of their own."""
    elements, job.elements = job.elements, None
    try:
        return pack(job)
    finally:
        job.elements = elements


def unpack_job(raw: bytes) -> Job:
    return _decode(raw, _JOB)


def unpack_element(raw: bytes) -> Element:
    return _decode(raw, _ELEMENT)


def unpack_host(raw: bytes) -> Host:
    return _decode(raw, _HOST)


def unpack_queue(raw: bytes) -> QueueAdmin:
    return _decode(raw, _QUEUE)


def unpack_generation(raw: bytes) -> Generation:
    return _decode(raw, _GENERATION)
