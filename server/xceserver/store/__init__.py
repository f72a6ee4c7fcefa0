"""The durable state: SQLite behind one writer thread with group commit."""
