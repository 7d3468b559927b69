"""What a command says of its runs while it makes them, to whoever looks from another process.

JSON lines in memory (memfd_create(2)), appended about once a second: no disk, no database. Other
processes of the same user open them through /proc. They are gone with the command, however that
ends. Each line has `at`, monotonic seconds, and `left_s`, seconds until the last run should end:

    {"run": id, "title": …, "place": from 1, "total": or null, "unit": "requests"}   a run begins
    {"stage": words}
    {"phase": words, "second": [one value for each of `SECOND`]}
    {"end": id, "title": …, "place": …, "words": what came of it}                    it is stored
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any
from uuid import UUID

from benchsuite.system.lock import claims
from benchsuite.system.procfs import open_files

NAME = "benchsuite"
SECOND = ("elapsed_s", "goodput", "p50_s", "p95_s", "failed", "cpu_percent", "measured")
"""Seconds since the first request; right answers each second; of the last second's right answers;
wrong ones in it; of the target, where 100 is one CPU; whether it lies in a window."""
Line = Mapping[str, Any]


class Journal:
    """Takes lines. What the system refuses is dropped: nobody measures worse for being watched."""

    def __init__(self, batch: UUID) -> None:
        try:
            self._file = os.memfd_create(f"{NAME} {batch}", os.MFD_CLOEXEC)
        except (AttributeError, OSError):  # an old kernel or C library, a sandbox
            self._file = -1

    def write(self, **line: Any) -> None:
        if self._file < 0:
            return
        data = json.dumps(line | {"at": monotonic()}).encode() + b"\n"
        try:
            if os.write(self._file, data) != len(data):
                self.close()
        except OSError:  # no memory left
            self.close()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Reader:
    """Reads on in the journal of a process."""

    def __init__(self, pid: int, path: str, name: str) -> None:
        self.pid = pid
        self._path, self._name = path, name
        self._offset = 0

    @property
    def is_open(self) -> bool:
        """Whether somebody may still write: the process lives, and the file is the same."""
        return (self._path, self._name) in open_files(self.pid)

    @property
    def batch(self) -> str:
        return self._name.split()[1]

    @property
    def key(self) -> str:
        """Another one where another command adds to the same batch."""
        return f"{self.batch}-{self.pid}"

    def lines(self) -> list[Line]:
        """Those written since the last time; the rest of a line that is not whole comes later."""
        data = b""
        with suppress(OSError), open(self._path, "rb") as file:  # it may just have been closed
            file.seek(self._offset)
            data, _, _ = file.read().rpartition(b"\n")
        self._offset += len(data) + 1 if data else 0
        return [json.loads(line) for line in data.splitlines()]


def readers() -> Iterator[Reader]:
    """The journals of all commands of this user, whoever is at work first."""
    for claim in claims():
        if (reader := of_process(claim.pid)) is not None:
            yield reader


def of_process(pid: int) -> Reader | None:
    """None without one, and where the process is another user's."""
    with suppress(OSError):
        if os.stat(f"/proc/{pid}").st_uid == os.geteuid():  # root may read all, but trusts nobody
            files = (file for file in open_files(pid) if file[1].startswith(f"/memfd:{NAME} "))
            return next((Reader(pid, *file) for file in files), None)
    return None
