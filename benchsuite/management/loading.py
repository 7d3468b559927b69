"""The work of `loadbench`: files of runs → the database, all or none."""

import gzip
import json
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db import transaction

from benchsuite import store
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.units import listed
from benchsuite.models import Run
from benchsuite.runner.planning import known_facts
from benchsuite.store.abandoned import sweep
from benchsuite.store.interchange import from_plain

GZIPPED = b"\x1f\x8b"
NAMED = 6  #: Runs named in a line.


def load(files: Sequence[str]) -> list[str]:
    """Stores the runs of these files; returns lines that say what was done with each file.

    Raises BenchsuiteError, and stores nothing, when a file can't be read.
    """
    found = [(file, *_read(file)) for file in files]
    sweep()
    with transaction.atomic():
        return [line for file, runs, running in found for line in _stored(file, runs, running)]


def _stored(file: str, runs: Sequence[Run], running: Sequence[str]) -> list[str]:
    """Stores those that are not stored yet."""
    here = dict(Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("pk", "status"))
    # A command whose results were refused left a row without any; they may be loaded now.
    empty = Run.objects.filter(
        pk__in=here, status=Status.INTERRUPTED.value, environment=None
    ).values_list("pk", flat=True)
    fresh = {run.pk: run for run in runs if run.pk not in here or run.pk in set(empty)}
    for run in fresh.values():
        store.write(run)
    skipped = [run.pk.hex[:8] for run in runs if run.pk not in fresh]
    lines = [f"{file}: {_many(len(fresh))} loaded."]
    if skipped:
        lines.append(f"{file}: {_many(len(skipped))} skipped, already stored: {_named(skipped)}.")
    if running:
        lines.append(
            f"{file}: {_many(len(running))} skipped, unfinished when exported: {_named(running)}."
        )
    return lines


def _read(file: str) -> tuple[list[Run], list[str]]:
    """The runs of a file, and the ids of those that were still running."""
    objects = _parsed(file, _text(file, _content(file)))
    if not isinstance(objects, list):
        raise UsageError(
            f"{file} is not a list of runs; give a file of runbench --json or of Export JSON on "
            "the pages."
        )
    runs: list[Run] = []
    running: list[str] = []
    for number, one in enumerate(objects, start=1):
        where = f"{file}: run {number} of {len(objects)}"
        if not isinstance(one, Mapping) or "stored" not in one:
            raise UsageError(f"{where} was not exported by benchsuite: it has no “stored”.")
        if one["stored"] is None:
            running.append(str(one.get("id"))[:8])
            continue
        try:
            runs.append(_with_facts(from_plain(one["stored"])))
        except UsageError as error:
            raise UsageError(f"{where} {error}.") from error
    return runs, running


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
