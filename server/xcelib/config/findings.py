"""What is wrong with a configuration, by place inside it."""

from typing import Literal

import msgspec

from xcelib.config.paths import Path, path_text
from xcelib.errors import Fault

Severity = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fault or warning. `column` is the place inside the value's text, from 0, where there is one."""

    path: Path
    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    column: int | None = None

    def as_fault(self) -> Fault:
        return Fault(path=path_text(self.path), code=self.code, message=self.message, hint=self.hint)
