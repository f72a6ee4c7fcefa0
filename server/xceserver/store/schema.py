"""The tables, and the format's version."""

FORMAT = 1

# One transaction writes the events and the current record of each entity that they changed. Records
# are MessagePack with a checksum in front; columns beside them are what queries select on.
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (seq INTEGER PRIMARY KEY, at REAL NOT NULL, body BLOB NOT NULL);
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY, user TEXT NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL, app TEXT NOT NULL,
    submitted_at REAL NOT NULL, ended_at REAL, body BLOB NOT NULL
);
CREATE INDEX jobs_live ON jobs (id) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_named ON jobs (user, name, id) WHERE name != '';
CREATE TABLE specs (job_id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE elements (
    job_id INTEGER NOT NULL, idx INTEGER NOT NULL, is_final INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (job_id, idx)
) WITHOUT ROWID;
CREATE INDEX elements_live ON elements (job_id) WHERE is_final = 0;
CREATE TABLE hosts (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE queues (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE generations (number INTEGER PRIMARY KEY, body BLOB NOT NULL, document BLOB NOT NULL);
CREATE TABLE answers (key TEXT PRIMARY KEY, digest BLOB NOT NULL, at REAL NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX answers_at ON answers (at);
"""
