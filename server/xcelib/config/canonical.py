"""The canonical document: same meaning, same bytes; and the hashes over it."""

import hashlib

import msgspec

from xcelib.config.model import ClusterConfig, Profile

_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(ClusterConfig, strict=True)


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
