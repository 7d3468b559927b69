"""All that is theirs, as checksums: each file, and each table of each SQLite database."""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

SQLITE = b"SQLite format 3\0"
OURS = "benchsuite_"
"""How the tables of the results begin, which a run fills on purpose."""
PASSING = ("-wal", "-shm", "-journal", ".pyc")
"""What SQLite keeps beside a database while it is open, and what Python compiles."""


def checksums(*folders: Path) -> dict[str, str]:
    """Name of a file, or "database: table", to a digest of what is in it.

    Symbolic links count by where they lead.
    """
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder.parent))
            if name.endswith(PASSING):
                continue
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file():
                found.update(_file(path, name))
    return found


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Each difference in words."""
    return [
        f"{name} {'came' if name not in before else 'went' if name not in after else 'changed'}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def _file(path: Path, name: str) -> Iterator[tuple[str, str]]:
    with path.open("rb") as file:
        if file.read(len(SQLITE)) != SQLITE:
            file.seek(0)
            yield name, hashlib.file_digest(file, "sha256").hexdigest()
            return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        for table, made in database.execute("SELECT name, sql FROM sqlite_master").fetchall():
            if not table.startswith(OURS) and (made or "").upper().startswith("CREATE TABLE"):
                yield f"{name}: {table}", _rows(database, table)


def _rows(database: sqlite3.Connection, table: str) -> str:
    digest = hashlib.sha256()
    quoted = table.replace('"', '""')
    for row in database.execute(f'SELECT * FROM "{quoted}"'):
        if table != "sqlite_sequence" or not str(row[0]).startswith(OURS):
            digest.update(repr(row).encode())
    return digest.hexdigest()
