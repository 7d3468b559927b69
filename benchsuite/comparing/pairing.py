"""Who is compared with whom: from words on the command line to pairs of sides."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from benchsuite.comparing.cells import Cell, grouped
from benchsuite.comparing.contrasts import Pair, Side, newest_of_each
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.exceptions import UsageError, meant
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
    runs = list(_runs().filter(pk__range=between)[:2])
    batches = list(
        Run.objects.filter(batch__range=between)
        .order_by()
        .values_list("batch", flat=True)
        .distinct()[:2]
    )
    if len(runs) + len(batches) > 1:
        raise UsageError(f"{word!r} begins the ids of several runs or batches; write more of it.")
    if batches:
        return grouped(_runs().filter(batch=batches[0]))
    if not runs:
        raise UsageError(_unknown(word))
    return grouped(runs)


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


def pairs(
    words: Sequence[str],
    baseline: str | None,
    starred: Callable[[Sequence[Run]], Run | None] = lambda runs: None,
) -> tuple[list[Pair], list[str]]:
    """The pairs that these words ask for, and what has to be said about the choice.

    Without words it is the newest batch that is compared. The baseline is a word itself, or a
    server among what the words mean; without one it is what the first word means, or, when there
    is only one word, what is `starred`, else `Comparison.baseline`. Where it has one cell, every
    other cell is held against it; where it has several, each against the one of the same key
    (server, size, work, load). Raises UsageError when nothing can be paired.
    """
    asked = list(dict.fromkeys(words))
    if baseline is not None and baseline not in asked and asked:
        inside = _inside(named(asked), baseline)
        if inside is not None:
            return _paired(*inside)
    if baseline is not None:
        base, *candidates = named([baseline, *(word for word in asked if word != baseline)])
        return _paired(base, candidates or [newest(without=base)])
    first, *candidates = named(asked) if asked else [newest()]
    if not candidates:
        return _paired(*_apart(first, starred))
    return _paired(first, candidates)


def _inside(named_words: Sequence[Named], server: str) -> tuple[Named, list[Named]] | None:
    """What was named, with the cells of one server apart; None when it isn't among them."""
    cells = [cell for one in named_words for cell in one.cells if cell.first.server == server]
    if not cells:
        return None
    candidates = [
        Named(one.word, [cell for cell in one.cells if cell.first.server != server], one.notes)
        for one in named_words
    ]
    return Named(server, cells), candidates


def _apart(
    whole: Named, starred: Callable[[Sequence[Run]], Run | None]
) -> tuple[Named, list[Named]]:
    """The cell that the compare page holds the others against, and the others."""
    runs = [run for cell in whole.cells for run in cell.runs]
    star = starred(runs)
    comparison = Comparison(runs, baseline=str(star.pk) if star else "")
    chosen = comparison.baseline.cell.first if comparison.baseline else whole.cells[0].first
    base = next(cell for cell in whole.cells if chosen in cell.runs)
    candidates = [cell for cell in whole.cells if cell is not base]
    return Named(whole.word, [base], whole.notes), [Named(whole.word, candidates)]


def _paired(base: Named, others: Sequence[Named]) -> tuple[list[Pair], list[str]]:
    cells = [*base.cells, *(cell for other in others for cell in other.cells)]
    sides = [Side(title, cell) for title, cell in zip(cell_titles(cells), cells, strict=True)]
    bases, candidates = sides[: len(base.cells)], sides[len(base.cells) :]
    notes = [note for side in (base, *others) for note in side.notes]
    found: list[Pair] = []
    alone: list[Side] = []
    for candidate in candidates:
        if _same_runs(candidate.cell, bases):
            continue
        mine = [side for side in bases if side.cell.first.key == candidate.cell.first.key]
        if mine or len(bases) == 1:
            found.append(((mine or bases)[0], candidate))
        else:
            alone.append(candidate)
            notes.append(f"{candidate.title} has no counterpart in {base.word} and is excluded.")
    if alone and not found:
        raise UsageError(
            f"{base.word} and {_words(others)} have nothing in common: nothing was measured in "
            "both with the same server, size, work and load. Measure both alike, or name one run "
            "of each by its id (with --force, if they are unlike)."
        )
    if not found:
        raise UsageError(
            f"There is nothing to hold against {base.word}: name another label, server, run or "
            "batch, or measure one more (runbench --server=A,B --repeat=5)."
        )
    paired = {id(pair[0]) for pair in found}
    notes += [
        f"{side.title} has no counterpart in {_words(others)} and is excluded."
        for side in bases
        if id(side) not in paired
    ]
    return found, notes


def _words(named_: Sequence[Named]) -> str:
    return " and ".join(one.word for one in named_)


def _same_runs(cell: Cell, sides: Sequence[Side]) -> bool:
    mine = {run.pk for run in cell.runs}
    return any(mine & {run.pk for run in side.cell.runs} for side in sides)


def runs(pairs_of_sides: Sequence[Pair]) -> list[Run]:
    """All runs of some pairs, each once, those of baselines first."""
    sides = [pair[0] for pair in pairs_of_sides] + [pair[1] for pair in pairs_of_sides]
    return list({run.pk: run for side in sides for run in side.cell.runs}.values())
