"""What a command works with: built once in `main`, passed as typer's context object."""

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from xcecli.kit.client import XceClient
from xcecli.kit.io import Io
from xcecli.kit.text import harmless


class Deps:
    """The outside world, the client (connected when first asked for), and how results are shown."""

    def __init__(
        self,
        io: Io,
        connect: Callable[[str | None], XceClient],
        now: Callable[[], datetime],
        argv: Sequence[str] = (),
    ) -> None:
        self.io = io
        self.argv = tuple(argv)
        self.now = now
        self.server: str | None = None
        self.is_json: bool | None = None  # None until a command has said it
        self._connect = connect
        self._client: XceClient | None = None

    @property
    def client(self) -> XceClient:
        if self._client is None:
            self._client = self._connect(self.server)
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    @property
    def wants_json(self) -> bool:
        """Whether errors are for programs; before a command was called, as far as its words tell."""
        if self.is_json is not None:
            return self.is_json
        return "--json" in self.argv[: self.argv.index("--") if "--" in self.argv else None]

    def show(self, schema: str, value: object, text: Callable[[], list[str]]) -> None:
        """The value for programs, or its lines for people."""
        if self.is_json:
            self.io.say(json_text(schema, value))
            return
        for line in text():
            self.io.say(harmless(line))


def json_text(schema: str, value: object) -> str:
    """One object on one line, with its `schema` first."""
    plain = msgspec.to_builtins(value)
    assert isinstance(plain, dict), "every schema is an object"
    return msgspec.json.encode({"schema": f"xce.{schema}", **plain}).decode()
