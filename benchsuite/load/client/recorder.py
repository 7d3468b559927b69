"""Samples and names on their way to the spool; the measured loop only packs 40 bytes."""

import json
import os
from pathlib import Path

from benchsuite.core.samples import RECORD, Kind
from benchsuite.load.job import NAMES_FILE, OTHER_NAMES, SAMPLES_FILE

MAX_NAMES = 1000
"""More names than anyone reads: journeys with numbers in their paths should pass `name=`."""

Sample = tuple[int, int, int, int, float, float, float]
"""Number of the name, kind and process, user, body bytes; when it was meant to start, started,
finished."""

Begun = tuple[int, float, float]
"""Something in flight: the number of its name, when it was meant to start and when it did."""


class Recorder:
    """Records what clients and users did. This one discards everything: of what is only checked,
    or was given up.
    """

    def index(self, name: str, scope: str) -> int:
        """The number that stands for a name in the samples."""
        return 0

    def add(self, *sample: *Sample) -> None:
        """In the closed model a request is meant to start when it starts."""

    def example(
        self, index: int, kind: Kind, message: str, status: int | None = None, asked: str = ""
    ) -> None:
        """Keeps the first message of each name and kind, with the status of what was asked."""


class SpoolRecorder(Recorder):
    """Keeps packed samples until the next flush, once a second, outside of any request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / SAMPLES_FILE).open("wb", buffering=0)
        self._packed = bytearray()
        self._indexes: dict[tuple[str, str], int] = {}
        self._examples: list[dict[Kind, str]] = []
        self._answers: list[dict[Kind, tuple[int, str]]] = []
        self._names_changed = True
        self.flush()

    def index(self, name: str, scope: str) -> int:
        index = self._indexes.get((name, scope))
        if index is None:
            if len(self._indexes) >= MAX_NAMES and name != OTHER_NAMES:
                return self.index(OTHER_NAMES, scope)
            index = self._indexes[name, scope] = len(self._indexes)
            self._examples.append({})
            self._answers.append({})
            self._names_changed = True
        return index

    def add(self, *sample: *Sample) -> None:
        self._packed += RECORD.pack(*sample)

    def example(
        self, index: int, kind: Kind, message: str, status: int | None = None, asked: str = ""
    ) -> None:
        if kind not in self._examples[index]:
            self._examples[index][kind] = message
            if status is not None:
                self._answers[index][kind] = status, asked
            self._names_changed = True

    def flush(self) -> None:
        """Writes what has come since; names first, so that every stored sample has one."""
        if self._names_changed:
            self._write_names()
        packed, self._packed = self._packed, bytearray()
        written = 0
        while written < len(packed):
            written += self._file.write(memoryview(packed)[written:]) or 0

    def close(self) -> None:
        self.flush()
        self._file.close()

    def _write_names(self) -> None:
        entries = [
            {
                "name": name,
                "scope": scope,
                "examples": self._examples[index],
                "answers": self._answers[index],
            }
            for (name, scope), index in self._indexes.items()
        ]
        whole = self._folder / NAMES_FILE
        part = whole.with_suffix(".part")
        part.write_text(json.dumps(entries))
        os.replace(part, whole)
        self._names_changed = False
