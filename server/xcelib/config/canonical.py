"""The canonical document: same meaning, same bytes; and the hashes over it."""

import hashlib

import msgspec

from xcelib.config.check import check
from xcelib.config.model import ClusterConfig, Profile
from xcelib.errors import BadConfiguration

_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(ClusterConfig, strict=True)


def from_bytes(document: bytes) -> ClusterConfig:
    """The inverse of `to_bytes`, for a document that nobody vouches for: typed, and checked again.

    Raises `BadConfiguration` with every fault. It never falls back on a default.
    """
    try:
        config = _DECODER.decode(document)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise BadConfiguration(f"the document is no configuration: {error}") from error
    errors = [finding.as_fault() for finding in check(config) if finding.severity == "error"]
    if errors:
        first = errors[0]
        count = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        hints = [first.hint] if first.hint else []
        raise BadConfiguration(f"{first.path}: {first.message}{count}", hints=hints, faults=errors)
    return config


def to_bytes(config: ClusterConfig) -> bytes:
    """The configuration as canonical JSON: keys sorted, no spaces, numbers in base units."""
    return _ENCODER.encode(config)


def content_hash(config: ClusterConfig) -> str:
    """`sha256:` and the hexadecimal digest of the canonical document."""
    return _digest(to_bytes(config))


def profile_hash(profile: Profile) -> str:
    """The hash of what a profile means: descriptions, its params' too, are for people and left out."""
    params = tuple(msgspec.structs.replace(param, description="") for param in profile.params)
    return _digest(_ENCODER.encode(msgspec.structs.replace(profile, description="", params=params)))


def _digest(document: bytes) -> str:
    return f"sha256:{hashlib.sha256(document).hexdigest()}"
