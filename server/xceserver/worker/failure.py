"""Why a task did not come to life, told from the child to its supervisor."""

import msgspec

TEXT_MAX = 2_000  # with the rest of the message below PIPE_BUF: one write, one read


class Failure(msgspec.Struct, frozen=True):
    """`exit_code` is set where the command itself is the reason: 127 not found, 126 not executable."""

    text: str
    exit_code: int | None = None


class StartFailed(Exception):
    """An expected failure before the command runs."""

    def __init__(self, text: str, *, exit_code: int | None = None) -> None:
        super().__init__(text)
        self.failure = Failure(bounded(text), exit_code)


def bounded(text: str) -> str:
    """The text, cut where it is longer than a message may carry; lone surrogates are shown, never sent."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return (
        clean if len(clean.encode()) <= TEXT_MAX else clean.encode()[: TEXT_MAX - 4].decode("utf-8", "ignore") + " ..."
    )


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgspec.msgpack.Decoder(Failure)
