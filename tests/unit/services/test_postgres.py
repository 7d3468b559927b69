"""What to do about a PostgreSQL that does not start, by what its log says."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.services.postgres import PostgreSQL

INITDB = "initdb: creating directory pg ... ok\n"
CHOOSING = "selecting dynamic shared memory implementation ... posix\n"


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        (f"{CHOOSING}FATAL: could not extend file: No space left on device", "set TMPDIR to"),
        (
            "FATAL: could not create shared memory segment: No space left on device\n"
            "DETAIL: Failed system call was shmget(key=1, size=56, 03600).",
            "give this machine more shared memory",
        ),
        (
            "FATAL: could not create semaphores: No space left on device\n"
            "DETAIL: Failed system call was semget(1, 17, 03600).",
            "raise the kernel's limit",
        ),
        ("FATAL: could not map anonymous shared memory: Cannot allocate", "lower --max-conn"),
    ],
)
def test_the_cause_is_told_from_what_is_only_named(log: str, advice: str) -> None:
    service = PostgreSQL(folder=Path("pg"), marker="m", env={})
    assert advice in service.advised(StartError("initdb failed", INITDB + log)).what
