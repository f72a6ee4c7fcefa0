"""Commits numbers to an SQLite database for ever; acknowledges each on standard output after its commit."""

import itertools
import sqlite3
import sys


def main(path: str, synchronous: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode = wal")
    connection.execute(f"pragma synchronous = {synchronous}")
    connection.execute("create table if not exists numbers (value integer primary key)")
    connection.commit()
    for number in itertools.count():
        connection.execute("insert into numbers values (?)", (number,))
        connection.commit()
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
