"""What limits runs, in lines for the terminal, as a section of the page, and as JSON."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import REST, Budget, budget
from benchsuite.bottlenecks.registry import UNNAMED, Limit
from benchsuite.comparing.cells import Cell, alternatives
from benchsuite.comparing.limit_evidence import alone, diagnosis, evidence, highest_rate, profiled
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import format_duration, format_number, format_percent, listed
from benchsuite.models import Run
from benchsuite.report import flames
from benchsuite.report.flames import Flame, flame


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Where the time of a request goes, what limits the run, and which functions use the CPU."""

    limits: Sequence[Limit] = ()
    time: Budget | None = None
    sentence: str = ""
    flame: Flame | None = None


def told(run: Run, starts: Iterable[Run] = (), **more: Any) -> Told:
    """What a run tells with `more` evidence, with diagnostic `starts`, and one user of the same."""
    own, profile, starts, keys = diagnosis(run), run, list(starts), set[str]()
    beside = [start for start in starts if start.pk != run.pk]
    if beside:
        with suppress(UsageError):  # of another format
            spec = RunSpec.from_json(run.spec)
            keys = {spec.diagnosed.key, spec.profiled.key}
    for start in (start for start in beside if start.key in keys):
        if seen := diagnosis(start):
            more["diagnosis"] = seen
        if named := profiled(start):
            more["profiled"], profile = named, start
    more.setdefault("alone", alone(run, starts))
    more.setdefault("highest_rate", highest_rate(run, starts))
    shown, figures = flame(profile), evidence(run, **more)
    if figures is None:
        return Told(flame=shown)
    time, limits = budget(figures), bottlenecks.name(figures)
    sentence = time.sentence if time else ""
    if own:
        sentence = (
            f"A diagnostic run: a request took {format_duration(own.request_s)} in Django, "
            f"{format_duration(own.query_s)} of that in {format_number(own.queries)} queries and "
            f"{format_duration(own.connecting_s)} in opening and closing connections; the garbage "
            f"collector took {format_percent(100 * own.collecting_share)} of the CPU time."
        )
    elif any(limit.code == UNNAMED.code for limit in limits):
        sentence = ""  # it is said there
    return Told(limits=limits, time=time, sentence=sentence, flame=shown)


def as_json(run: Run) -> dict[str, Any]:
    limits = told(run)
    parts = {**limits.time.parts, REST: limits.time.rest_s} if limits.time else None
    return {
        "request_time": parts,
        "limits": [asdict(limit) for limit in limits.limits],
        "flame": flames.as_json(limits.flame),
    }


def limit_lines(cells: Sequence[Cell], diagnosed: Iterable[Run] = ()) -> list[str]:
    """What limits the middle one of the runs of each configuration, with its diagnostic run, and
    beside the others: of several who has which, and the evidence and the remedy of the first.
    """
    starts = [*diagnosed, *(run for cell in cells for run in cell.shown)]
    having: dict[str, list[tuple[str, Limit]]] = {}
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        if (run := middle(cell)) is None:
            continue
        for limit in told(run, starts, alternatives=alternatives(cell, cells)).limits:
            having.setdefault(limit.code, []).append((title, limit))
    lines = []
    for code, of_code in having.items():
        title, limit = of_code[0]
        titles = listed([title for title, _ in of_code])
        whose = f"{titles}. {title}" if len(of_code) > 1 else title
        lines.append(f"{code}  {whose}: {limit.says} {limit.evidence}")
        lines.append(" ".join(filter(None, (f"  {limit.fix}", limit.gain))))
    return lines


def middle(cell: Cell) -> Run | None:
    """The start whose goodput is the median of those that are shown."""
    ordered = sorted(cell.shown, key=lambda run: run.goodput or 0.0)
    return ordered[(len(ordered) - 1) // 2] if ordered else None
