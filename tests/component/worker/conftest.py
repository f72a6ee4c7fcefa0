"""A host with a running worker, for each test its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.worker.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path / "host") as made:
        made.start_worker()
        yield made
