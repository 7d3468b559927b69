"""What databases have in common: connections that are counted, commits that wait for the disk.

The target is an ordinary user, as it should be in production; the run itself is a superuser with
connections kept free for it, so that it can still count and drop when the target has taken all of
its own.
"""

import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import StartError
from benchsuite.core.readings import DATABASE
from benchsuite.services.base import Service

USER = "benchsuite"  #: The target's user: may make databases of a run, and is no superuser.
WATCHING = 1  #: The connection that telemetry holds while the load runs.


@dataclass(kw_only=True, eq=False, repr=False)
class DatabaseService(Service):
    """A database that `--database=NAME` starts, with all its files in `data`.

    While telemetry is connected, the target can have `max_connections` open at once, neither more
    nor fewer. Without `fsync` a commit waits for no disk.
    """

    least_connections: ClassVar[int] = 1

    max_connections: int = 100
    fsync: bool = True
    password: str = field(default_factory=lambda: secrets.token_hex(16), init=False, repr=False)
    """The superuser's."""

    @property
    def part(self) -> str:
        return DATABASE

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        if self.data.exists():
            raise StartError(
                f"{self.folder} holds data already; {self.title} needs a folder of its own."
            )
        super().start()

    def remove(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
