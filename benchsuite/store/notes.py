"""Remarks and stars: kept beside a run or a label, chosen as baseline, carried by exports."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import Error

from benchsuite.core.exceptions import UsageError
from benchsuite.models import Note, Run, validate_printable

LONGEST = 2000  #: Letters of a remark.


class Entry(TypedDict):
    """A note as JSON has it: of the label, else of the run beside which it stands."""

    label: NotRequired[str]
    text: str
    starred: bool
    changed_at: datetime


def keep(
    *,
    run: Run | None = None,
    label: str | None = None,
    text: str | None = None,
    starred: bool | None = None,
    changed_at: datetime | None = None,
) -> None:
    """Changes what is given; a note that says nothing goes. Raises UsageError for no remark."""
    about: dict[str, Any] = {"label": label} if run is None else {"run": run}
    note = Note.objects.filter(**about).first() or Note(**about)
    if text is not None:
        note.text = text.replace("\r\n", "\n").strip()
    note.starred = note.starred if starred is None else starred
    note.changed_at = changed_at or datetime.now(UTC)
    if len(note.text) > LONGEST:
        raise UsageError(f"A note has {LONGEST} letters at most; this one has {len(note.text)}.")
    try:
        validate_printable(note.text.replace("\n", " "))
    except ValidationError as error:
        raise UsageError(" ".join(error.messages)) from error
    if note.text or note.starred:
        note.save()
    elif note.pk:
        note.delete()


def of(runs: Sequence[Run]) -> list[Note]:
    """The notes of these runs and of their labels, the newest first."""
    own = Note.objects.filter(run__in=[run.pk for run in runs])
    labels = {run.label for run in runs} - {""}
    return list((own | Note.objects.filter(label__in=labels)).order_by("-changed_at"))


def starred(runs: Sequence[Run]) -> Run | None:
    """The default baseline: the run or first of the label that was starred last; None without."""
    of_all = {run.label for run in runs}  # a label that all have tells none of them apart
    stars = [note for note in of(runs) if note.starred and {note.label} != of_all]
    for note in sorted(stars, key=lambda note: note.run_id is None):
        for run in runs:
            if run.pk == note.run_id or (note.label and run.label == note.label):
                return run
    return None


def for_export() -> Callable[[Run], list[dict[str, Any]]]:
    """What gives each run that is exported its notes; those of a label go with its first run."""
    waiting: dict[object, Note] = {}
    with suppress(Error):  # runs that no database takes are exported all the same
        waiting = {note.run_id or note.label: note for note in Note.objects.all()}

    def of_run(run: Run) -> list[dict[str, Any]]:
        taken = [waiting.pop(about) for about in (run.pk, run.label) if about in waiting]
        return [
            {
                "text": note.text,
                "starred": note.starred,
                "changed_at": note.changed_at.isoformat(),
                **({"label": note.label} if note.label else {}),
            }
            for note in taken
        ]

    return of_run


def load(entries: Iterable[tuple[UUID, Entry]]) -> int:
    """Keeps those of stored runs that are newer than what is stored, as `keep`; how many it did."""
    loaded = 0
    for pk, entry in entries:
        label = entry.get("label")
        run = None if label else Run.objects.filter(pk=pk).only("pk").first()
        known = Note.objects.filter(label=label) if label else Note.objects.filter(run=run)
        is_older = known.filter(changed_at__gte=entry["changed_at"]).exists()
        if (label or run) and not is_older:
            keep(run=run, **entry)
            loaded += 1
    return loaded
