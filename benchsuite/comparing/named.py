"""Which runs a word on the command line means: a label, a server, a run or a batch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from benchsuite.comparing.cells import Cell, grouped
from benchsuite.comparing.sides import newest_of_each
from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import meant
from benchsuite.models import Run

SHORTEST_ID = 6
LISTED = 8  #: Of each kind, in the message for a word that means nothing.


@dataclass(frozen=True, slots=True)
class Named:
    """The runs that a word means, as cells, and what has to be said about the choice."""

    word: str
    cells: Sequence[Cell]
    notes: Sequence[str] = ()


def named(words: Sequence[str]) -> list[Named]:
    """What each of these words means; raises UsageError for one that means nothing.

    A word is first looked up as a label, then as a server, then as how the id of a run or of a
    batch begins. Servers are taken from the newest batch that holds all servers named, since
    these were measured in turns; where no batch does, each from its own newest.
    """
    servers = [word for word in words if _is_server(word)]
    batch = _common_batch(servers)
    return [_named(word, batch if word in servers else None) for word in words]


def newest(*, without: Named | None = None) -> Named:
    """The newest batch that holds other runs than these; raises UsageError when there is none."""
    runs = _runs()
    if without is not None:
        runs = runs.exclude(pk__in=[run.pk for cell in without.cells for run in cell.runs])
    last = runs.order_by("-started_at").first()
    if last is None:
        raise UsageError("There is nothing to compare yet; runbench measures something.")
    return Named(f"batch {last.batch.hex[:8]}", grouped(runs.filter(batch=last.batch)))


def _named(word: str, batch: UUID | None) -> Named:
    runs = _runs()
    if labelled := list(runs.filter(label=word)) if word else []:
        cells, dropped = newest_of_each(grouped(labelled))
        note = (
            f"{word}: {dropped} older runs with other software or on another machine are not used."
        )
        return Named(word, cells, [note] if dropped else [])
    if batch is None and _is_server(word):
        batch = runs.filter(server=word).order_by("-started_at")[0].batch
    if batch is not None:
        return Named(word, grouped(runs.filter(batch=batch, server=word)))
    return Named(word, _by_id(word))


def _by_id(word: str) -> list[Cell]:
    digits = word.replace("-", "").lower()
    if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST_ID},32}}", digits):
        raise UsageError(_unknown(word))
    between = tuple(UUID(digits.ljust(32, filler)) for filler in "0f")
    found = list(_runs().filter(pk__range=between)[:2])
    batches = list(
        Run.objects.filter(batch__range=between)
        .order_by()
        .values_list("batch", flat=True)
        .distinct()[:2]
    )
    if len(found) + len(batches) > 1:
        raise UsageError(f"{word!r} begins the ids of several runs or batches; write more of it.")
    if batches:
        return grouped(_runs().filter(batch=batches[0]))
    if not found:
        raise UsageError(_unknown(word))
    return grouped(found)


def _runs() -> QuerySet[Run]:
    return (
        Run.objects.select_related("environment", "software")
        .prefetch_related("findings")
        .defer("log_tail", "argv")
    )


def _is_server(word: str) -> bool:
    return Run.objects.filter(server=word).exists() and not Run.objects.filter(label=word).exists()


def _common_batch(servers: Sequence[str]) -> UUID | None:
    """The newest batch that holds all of these servers."""
    if not servers:
        return None
    runs = Run.objects.all()
    for server in servers:
        runs = runs.filter(batch__in=Run.objects.filter(server=server).values("batch"))
    last = runs.order_by("-started_at").first()
    return last.batch if last else None


def _unknown(word: str) -> str:
    """What there is, newest first."""
    newest_first = Run.objects.order_by("-started_at")
    labels = _first(newest_first.exclude(label="").values_list("label", flat=True))
    servers = _first(newest_first.values_list("server", flat=True))
    batches = _first(batch.hex[:8] for batch in newest_first.values_list("batch", flat=True))
    if not servers:
        return f"There is nothing called {word!r}: nothing was measured yet; runbench does it."
    return (
        f"There is no label, server, run or batch {word!r}. {_nearest(word)}"
        f"Labels: {labels or 'none'}. "
        f"Servers: {servers}. Batches, newest first: {batches}."
    )


def _nearest(word: str) -> str:
    known = {
        *Run.objects.values_list("label", flat=True),
        *Run.objects.values_list("server", flat=True),
    }
    near = meant(word, known)
    return f"Did you mean {near}? " if near else ""


def _first(values: object) -> str:
    words = list(dict.fromkeys(values))  # type: ignore[call-overload]
    return ", ".join([*words[:LISTED], *(["…"] if len(words) > LISTED else [])])
