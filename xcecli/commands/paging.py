"""Lists longer than a page."""

from xcecli.kit.client import Query, XceClient
from xcelib.wire import PAGE_MAX, JobRow


def collect(client: XceClient, query: Query, *, limit: int) -> tuple[list[JobRow], int | None]:
    """At most `limit` rows over as many pages as it takes, and the cursor where there are more."""
    rows: list[JobRow] = []
    cursor: int | None = None
    while True:
        page = client.jobs({**query, "cursor": cursor, "limit": min(PAGE_MAX, limit - len(rows))})
        rows += page.jobs
        cursor = page.cursor
        if cursor is None or len(rows) >= limit:
            return rows, cursor
