"""The proof that a process may fork: it has one thread."""

import os


def assert_single_threaded() -> None:
    """A fork copies one thread and everybody's locks; where others exist, the child may wait for ever."""
    threads = os.listdir("/proc/self/task")
    assert len(threads) == 1, f"this process has {len(threads)} threads and must not fork"
