"""What a test needs of the machine: `@pytest.mark.needs("fuse3", "root")`.

Where a need is not met the test is reported as not run; in CI (the variable `CI` is set) it fails, so that a
suite that passes there has run whole.
"""

import functools
import os
import shutil

import pytest

_PROGRAMS = {"fuse3": "fusermount3"}  # the program by which a Debian package shows that it is there
_DEVICES = {"fuse3": "/dev/fuse"}  # without which the package is of no use


@functools.cache
def is_met(need: str) -> bool:
    """Whether this machine has what `need` names: a Debian package, or `root`."""
    if need == "root":
        return os.getuid() == 0
    device = _DEVICES.get(need)
    is_usable = device is None or os.access(device, os.R_OK | os.W_OK)
    return is_usable and shutil.which(_PROGRAMS.get(need, need)) is not None


def unmet(item: pytest.Item) -> list[str]:
    """The needs of a test that this machine does not meet, in the order in which the test names them."""
    needs = dict.fromkeys(need for mark in item.iter_markers("needs") for need in mark.args)
    return [need for need in needs if not is_met(need)]


def run_or_report(item: pytest.Item) -> None:
    """Stop a test whose needs are not met, before its fixtures are made."""
    if absent := unmet(item):
        reason = f"not run: it needs {', '.join(absent)}"
        pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)
