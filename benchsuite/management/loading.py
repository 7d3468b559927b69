"""The work of `loadbench`: files of runs → the database, all or none."""

import gzip
import json
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from benchsuite import store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.units import listed
from benchsuite.models import Run
from benchsuite.runner.planning import known_facts
from benchsuite.store import purposes
from benchsuite.store.abandoned import sweep, sweep_executions
from benchsuite.store.interchange import from_plain
from benchsuite.store.purposes import Place, Whole

GZIPPED = b"\x1f\x8b"
NAMED = 6  #: Runs named in a line.


@dataclass(slots=True)
class Contents:
    """What a file holds."""

    file: str
    runs: list[Run] = field(default_factory=list)
    running: list[str] = field(default_factory=list)  #: Ids of those that had not ended.
    places: list[tuple[Run, Place]] = field(default_factory=list)
    wholes: list[Whole] = field(default_factory=list)


def load(files: Sequence[str]) -> list[str]:
    """Stores the runs of these files, and what they were made for; returns lines that say what was
    done with each file.

    Raises BenchsuiteError, and stores nothing, when a file can't be read.
    """
    found = [_read(file) for file in files]
    sweep()
    sweep_executions()
    with transaction.atomic():
        kept = [[(whole, purposes.keep(whole)) for whole in one.wholes] for one in found]
        lines = []
        for one, wholes in zip(found, kept, strict=True):
            lines += _stored(one)
            lines += [f"{one.file}: {whole.row} {word}." for whole, word in wholes if word]
            lines += _connected(one)
        return lines


def _stored(found: Contents) -> list[str]:
    """Stores the runs that are not stored yet."""
    here = Run.objects.only("status", "environment", "study_cell").in_bulk(
        [run.pk for run in found.runs]
    )
    fresh = {run.pk: run for run in found.runs if run.pk not in here or _is_empty(here[run.pk])}
    for run in fresh.values():
        if run.pk in here:
            run.study_cell_id = here[run.pk].study_cell_id
        store.write(run)
    skipped = [run.pk.hex[:8] for run in found.runs if run.pk not in fresh]
    lines = [f"{found.file}: {_many(len(fresh))} loaded."]
    for ids, why in ((skipped, "already stored"), (found.running, "unfinished when exported")):
        if ids:
            lines.append(f"{found.file}: {_many(len(ids))} skipped, {why}: {_named(ids)}.")
    return lines


def _is_empty(run: Run) -> bool:
    """A command whose results were refused left a row without any; they may be loaded now."""
    return run.status == Status.INTERRUPTED.value and run.environment_id is None


def _connected(found: Contents) -> list[str]:
    """Makes the runs parts of what they were made for."""
    lost = [run.pk.hex[:8] for run, place in found.places if not purposes.connect(run, place)]
    if not lost:
        return []
    return [
        f"{found.file}: {_many(len(lost))} without what it was made for, which is in no file and "
        f"not stored: {_named(lost)}."
    ]


def _read(file: str) -> Contents:
    objects = _parsed(file, _text(file, _content(file)))
    if not isinstance(objects, list):
        raise UsageError(
            f"{file} is not a list of runs; give a file of runbench --json or of Export JSON on "
            "the pages."
        )
    found = Contents(file)
    for number, one in enumerate(objects, start=1):
        where = f"{file}: run {number} of {len(objects)}"
        if not isinstance(one, Mapping) or "stored" not in one:
            raise UsageError(f"{where} was not exported by benchsuite: it has no “stored”.")
        try:
            places, wholes = purposes.from_plain(one.get("made_for", []))
            found.wholes += wholes
            if one["stored"] is None:
                found.running.append(str(one.get("id"))[:8])
                continue
            run = _with_facts(from_plain(one["stored"]))
        except UsageError as error:
            raise UsageError(f"{where} {error}.") from error
        found.runs.append(run)
        found.places += [(run, place) for place in places]
    return found


def _with_facts(run: Run) -> Run:
    """With facts of its server; those of today where it was exported without any."""
    if not run.server_facts:
        with suppress(UsageError):  # a server that is not known any more
            run.server_facts = known_facts(run.server, run.workload)
    return run


def _content(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or error
        raise BenchsuiteError(f"{file} could not be read: {reason}.") from error


def _text(file: str, content: bytes) -> str:
    try:
        plain = gzip.decompress(content) if content.startswith(GZIPPED) else content
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{file} is damaged or truncated: it can't be unzipped.") from error
    try:
        return plain.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not JSON: byte {error.start} is not UTF-8.") from error


def _parsed(file: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        cut = " The file may be truncated." if error.pos >= len(text.rstrip()) else ""
        raise UsageError(f"{file} is not JSON: {error.msg} at {place}.{cut}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{file} is not JSON of runs: {error}.") from error


def _many(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"


def _named(ids: Sequence[str]) -> str:
    return listed([*ids[:NAMED], *([f"{len(ids) - NAMED} more"] if len(ids) > NAMED else [])])
