"""The merge: a job's effective values from its own, its profile, queue, project and cluster (20-merge).

Pure and live: the same function serves submit, every scheduler session, dispatch, `explain` and
`config plan`. Nothing that it returns is ever stored on the job.
"""

from xcelib.merge.effective import Effective, Finding, Need, Rejection
from xcelib.merge.merging import merge, merge_job
from xcelib.merge.names import Names, resolve
from xcelib.merge.own import Own, own_of

__all__ = [
    "Effective",
    "Finding",
    "Names",
    "Need",
    "Own",
    "Rejection",
    "merge",
    "merge_job",
    "own_of",
    "resolve",
]
