"""Who is compared with whom: from words on the command line to pairs of sides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import QuerySet

from benchsuite.comparing.cells import Cell, counted, grouped
from benchsuite.comparing.contrasts import Pair
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import titled
from benchsuite.core.exceptions import UsageError, meant
from benchsuite.core.specs import RunSpec
from benchsuite.models import Run, begin_of_id

LISTED = 8  #: Of each kind, in the message for a word that means nothing.

Starred = Callable[[Sequence[Run]], Run | None]


@dataclass(frozen=True, slots=True)
class Named:
    """The runs that a word means, as cells, and what has to be said about the choice."""

    word: str
    cells: Sequence[Cell]
    notes: Sequence[str] = ()


def _named(words: Sequence[str]) -> list[Named]:
    """What each of these words means: a label, else a server, else how the id of a run or batch
    begins. Servers are of the newest batch that holds them all, which took turns, else each of its
    own newest. Raises UsageError for a word that means nothing.
    """
    labels = set(Run.objects.filter(label__in=words).values_list("label", flat=True)) - {""}
    servers = set(Run.objects.filter(server__in=words).values_list("server", flat=True)) - labels
    in_turns = Run.objects.order_by("-started_at")
    for server in servers:
        in_turns = in_turns.filter(batch__in=Run.objects.filter(server=server).values("batch"))
    common = in_turns.first()
    named = []
    for word in words:
        if word in labels:
            named.append(_labelled(word))
        elif word in servers:
            runs = _runs().filter(server=word)
            newest = common or runs.order_by("-started_at")[0]
            named.append(Named(word, grouped(counted(runs.filter(batch=newest.batch)))))
        else:
            named.append(Named(word, _by_id(word)))
    return named


def _labelled(word: str) -> Named:
    """Of each key the newest cell: a label of every build stands for the last of them."""
    cells = grouped(counted(_runs().filter(label=word)))
    by_key: dict[str, Cell] = {}
    for cell in sorted(cells, key=lambda cell: cell.runs[-1].started_at, reverse=True):
        by_key.setdefault(cell.first.key, cell)
    kept = [cell for cell in cells if by_key[cell.first.key] is cell]
    dropped = sum(len(cell.runs) for cell in cells) - sum(len(cell.runs) for cell in kept)
    note = f"{word}: {dropped} older runs with other software or on another machine are not used."
    return Named(word, kept, [note] if dropped else [])


def _by_id(word: str) -> list[Cell]:
    if not (begin := begin_of_id(word)):
        raise UsageError(_unknown(word))
    runs = list(_runs().filter(pk__istartswith=begin)[:2])
    in_batches = Run.objects.filter(batch__istartswith=begin).order_by()
    batches = list(in_batches.values_list("batch", flat=True).distinct()[:2])
    if len(runs) + len(batches) > 1:
        raise UsageError(f"{word!r} begins the ids of several runs or batches; write more of it.")
    if not runs and not batches:
        raise UsageError(_unknown(word))
    return grouped(counted(runs or _runs().filter(batch=batches[0])))


def _newest(*, without: Named | None = None) -> Named:
    """The newest batch that holds other runs than these; raises UsageError when there is none."""
    runs = _runs().filter(diagnosis__isnull=True)
    if without is not None:
        runs = runs.exclude(pk__in=[run.pk for cell in without.cells for run in cell.runs])
    if (last := runs.order_by("-started_at").first()) is None:
        raise UsageError("There is nothing to compare yet; runbench measures something.")
    return Named(f"batch {last.batch.hex[:8]}", grouped(counted(runs.filter(batch=last.batch))))


def _runs() -> QuerySet[Run]:
    runs = Run.objects.select_related("environment", "software").prefetch_related("findings")
    return runs.defer("log_tail", "argv")


def _unknown(word: str) -> str:
    """What there is, newest first."""

    def column(name: str) -> list[str]:
        values = Run.objects.order_by("-started_at").values_list(name, flat=True)
        words = [value.hex[:8] if isinstance(value, UUID) else value for value in values]
        return list(dict.fromkeys(filter(None, words)))

    def first(words: list[str]) -> str:
        return ", ".join([*words[:LISTED], *(["…"] if len(words) > LISTED else [])])

    labels, servers = column("label"), column("server")
    if not servers:
        return f"There is nothing called {word!r}: nothing was measured yet; runbench does it."
    near = meant(word, [*labels, *servers])
    return (
        f"There is no label, server, run or batch {word!r}. "
        f"{f'Did you mean {near}? ' if near else ''}Labels: {first(labels) or 'none'}. "
        f"Servers: {first(servers)}. Batches, newest first: {first(column('batch'))}."
    )


def pairs(
    words: Sequence[str], baseline: str | None, starred: Starred = lambda runs: None
) -> tuple[list[Pair], list[str]]:
    """The pairs that these words ask for, else of the newest batch, and what has to be said of
    them. The baseline is a word, or a server among what the words mean; else the first word or, of
    a single one, what is `starred` or `Comparison.baseline`. Of several cells each is held against
    the one of its key. Raises UsageError when nothing can be paired.
    """
    asked = list(dict.fromkeys(words))
    if baseline is not None and baseline not in asked and asked:
        named = _named(asked)
        cells = [cell for one in named for cell in one.cells]
        if own := [cell for cell in cells if cell.first.server == baseline]:
            further = [
                replace(other, cells=[cell for cell in other.cells if cell not in own])
                for other in named
            ]
            return _paired(Named(baseline, own), further)
    if baseline is not None:
        base, *candidates = _named([baseline, *(word for word in asked if word != baseline)])
        return _paired(base, candidates or [_newest(without=base)])
    first, *candidates = _named(asked) if asked else [_newest()]
    if candidates:
        return _paired(first, candidates)
    # the cell that the compare page holds the others against
    runs = [run for cell in first.cells for run in cell.runs]
    wanted = str(star.pk) if (star := starred(runs)) else ""
    chosen = (Comparison(runs, baseline=wanted).baseline or first.cells[0]).first
    base = Named(first.word, [cell for cell in first.cells if chosen in cell.runs], first.notes)
    rest = [cell for cell in first.cells if cell not in base.cells]
    return _paired(base, [Named(first.word, rest)])


def _paired(base: Named, further: Sequence[Named]) -> tuple[list[Pair], list[str]]:
    cells = titled([cell for named in (base, *further) for cell in named.cells])
    bases, rest = cells[: len(base.cells)], cells[len(base.cells) :]
    own_runs = {run.pk for cell in base.cells for run in cell.runs}
    candidates = [cell for cell in rest if own_runs.isdisjoint(run.pk for run in cell.runs)]
    words = " and ".join(named.word for named in further)
    notes = [note for named in (base, *further) for note in named.notes]
    paired: list[Pair] = []
    keys = {cell.first.key for cell in candidates}  #: Of what has a counterpart of its own.
    for candidate in candidates:
        run = candidate.first
        mine = [cell for cell in bases if cell.first.key == run.key]
        mine = mine or [cell for cell in bases if _anywhere(cell.first) == _anywhere(run)]
        if not mine:
            free = [cell for cell in bases if cell.first.key not in keys]
            alike = [cell for cell in free if _of_any(cell.first) == _of_any(run)]
            mine = alike if len(alike) == 1 else []
        if mine or len(bases) == 1:
            paired.append(((mine or bases)[0], candidate))
        else:
            notes.append(f"{candidate.title} has no counterpart in {base.word} and is excluded.")
    if candidates and not paired:
        raise UsageError(
            f"{base.word} and {words} have nothing in common: nothing was measured in both with "
            "the same server, size, work and load. Measure both alike, or name one run of each by "
            "its id (with --force, if they are unlike)."
        )
    if not paired:
        raise UsageError(
            f"There is nothing to compare {base.word} with: name another label, server, run or "
            "batch, or measure one more (runbench --server=A,B --repeat=5)."
        )
    alone = [cell for cell in bases if all(cell is not baseline for baseline, _ in paired)]
    notes += [f"{cell.title} has no counterpart in {words} and is excluded." for cell in alone]
    return paired, notes


def _anywhere(run: Run) -> str:
    """The key of the same configuration in whatever project, which another checkout may be."""
    return replace(RunSpec.from_json(run.spec), project="").key if run.project else run.key


def _of_any(run: Run) -> tuple[object, ...]:
    """Its size and what it was asked for, whatever server it is."""
    size = ("processes", "threads", "instances", "cpus")
    return run.asked("server"), *map(run.part("server").get, size)


def runs(pairs: Sequence[Pair]) -> list[Run]:
    """All runs of some pairs, each once, those of baselines first."""
    cells = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return list({run.pk: run for cell in cells for run in cell.runs}.values())
