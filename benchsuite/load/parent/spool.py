"""Reads what a load process wrote, even while it is still writing."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.samples import FIELDS, RECORD, Kind
from benchsuite.load.job import NAMES_FILE, SAMPLES_FILE

DTYPE = np.dtype(list(FIELDS))
Samples = NDArray[np.void]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameEntry:
    """The name that a sample refers to by its index."""

    name: str
    scope: str  #: One of `benchsuite.core.samples`: request, journey, message …
    examples: dict[Kind, str]  #: The first message of each kind of failure.
    answers: dict[Kind, tuple[int, str]] = field(default_factory=dict)
    """Of those that were answers: their status, and what was asked ("GET /shop/")."""


def read(folder: Path) -> tuple[Samples, list[NameEntry]]:
    """All samples of a spool folder and the names they refer to; none when nothing was written."""
    path = folder / SAMPLES_FILE
    if not path.exists():
        return np.empty(0, DTYPE), []
    with path.open("rb") as file:
        samples = read_on(file)
    return samples, read_names(folder)


def read_all(folders: Iterable[Path]) -> tuple[Samples, list[NameEntry]]:
    """The samples of several spools as if they were one: equal names become one name."""
    parts: list[Samples] = [np.empty(0, DTYPE)]
    entries: dict[tuple[str, str], NameEntry] = {}
    for folder in folders:
        samples, names = read(folder)
        samples = samples.copy()
        indexes = []
        for entry in names:
            key = (entry.name, entry.scope)
            if key in entries:
                examples = {**entry.examples, **entries[key].examples}
                entry = replace(
                    entry, examples=examples, answers={**entry.answers, **entries[key].answers}
                )
            entries[key] = entry
            indexes.append(list(entries).index(key))
        if len(samples):
            samples["name"] = np.array(indexes, samples["name"].dtype)[samples["name"]]
        parts.append(samples)
    return np.concatenate(parts), list(entries.values())


def read_on(file: BinaryIO) -> Samples:
    """The complete samples from the file's position on, which moves behind them."""
    packed = file.read()
    rest = len(packed) % RECORD.size
    if rest:
        file.seek(-rest, 1)
        packed = packed[:-rest]
    return np.frombuffer(packed, DTYPE)


def read_names(folder: Path) -> list[NameEntry]:
    entries = json.loads((folder / NAMES_FILE).read_text())
    return [
        NameEntry(
            name=entry["name"],
            scope=entry["scope"],
            examples={Kind(int(kind)): text for kind, text in entry["examples"].items()},
            answers={Kind(int(kind)): (*answer,) for kind, answer in entry["answers"].items()},
        )
        for entry in entries
    ]
