"""What limits runs, in lines for the terminal, as a section of the page, and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import REST, Budget, Diagnosis, budget
from benchsuite.bottlenecks.registry import UNNAMED, Limit
from benchsuite.comparing.cells import Cell, alternatives
from benchsuite.comparing.limit_evidence import alone, diagnosis, evidence, highest_rate, profiled
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.exceptions import UsageError
from benchsuite.core.glossary import meaning
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
    """What one run tells with `more` evidence, and with that of `starts`: its diagnostic ones, and
    one user of the same.
    """
    own, profile, starts = diagnosis(run), run, list(starts)
    for start in _diagnostic(run, starts):
        if seen := diagnosis(start):
            more["diagnosis"] = seen
        if named := profiled(start):
            more["profiled"], profile = named, start
    if "alone" not in more:
        more["alone"] = alone(run, starts)
    more.setdefault("highest_rate", highest_rate(run, starts))
    shown, figures = flame(profile), evidence(run, **more)
    if figures is None:
        return Told(flame=shown)
    time = budget(figures)
    sentence = _diagnosed(own) if own else time.sentence if time else ""
    limits = bottlenecks.name(figures)
    if not own and any(one.code == UNNAMED.code for one in limits):
        sentence = ""  # it is said there
    return Told(limits=limits, time=time, sentence=sentence, flame=shown)


def as_json(run: Run) -> dict[str, Any]:
    """The same as plain JSON, in seconds; null where the parts are not known."""
    limits = told(run)
    parts = {**limits.time.parts, REST: limits.time.rest_s} if limits.time else None
    return {
        "request_time": parts,
        "limits": [asdict(one) for one in limits.limits],
        "flame": flames.as_json(limits.flame),
    }


def limit_lines(cells: Sequence[Cell], diagnosed: Iterable[Run] = ()) -> list[str]:
    """What limits the middle one of the runs of each configuration, with its diagnostic run, and
    beside the others: of one with its evidence; of several who has which, and what all can do.
    """
    starts = [*diagnosed, *(run for cell in cells for run in cell.shown)]
    limits_by_title = {
        title: told(run, starts, others=alternatives(cell, cells)).limits
        for title, cell in zip(cell_titles(cells), cells, strict=True)
        if (run := middle(cell)) is not None
    }
    if len(limits_by_title) == 1:
        ((title, some),) = limits_by_title.items()
        return [line for limit in some for line in _lines(title, limit)]
    having: dict[str, list[tuple[str, Limit]]] = {}
    for title, some in limits_by_title.items():
        for limit in some:
            having.setdefault(limit.code, []).append((title, limit))
    lines = []
    for code in sorted(having):
        lines.append(f"{code}  {listed([title for title, _ in having[code]])}: {meaning(code)}")
        fixes = {limit.fix for _, limit in having[code]}
        lines += [f"  {fix}" for fix in fixes if len(fixes) == 1]
    return lines


def _diagnostic(run: Run, starts: Iterable[Run]) -> list[Run]:
    """The diagnostic starts of the same cell."""
    starts_of_others = [one for one in starts if one.pk != run.pk]
    try:
        spec = RunSpec.from_json(run.spec) if starts_of_others else None
    except UsageError:  # of another format
        return []
    keys = {spec.diagnosed.key, spec.profiled.key} if spec else ()
    return [one for one in starts_of_others if one.key in keys]


def _lines(title: str, limit: Limit) -> list[str]:
    return [
        f"{limit.code}  {title}: {limit.says} {limit.evidence}",
        " ".join(filter(None, (f"  {limit.fix}", limit.gain))),
    ]


def middle(cell: Cell) -> Run | None:
    """The start whose goodput is the median of those that are shown."""
    ordered = sorted(cell.shown, key=lambda run: run.goodput or 0.0)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _diagnosed(seen: Diagnosis) -> str:
    return (
        f"A diagnostic run: a request took {format_duration(seen.request_s)} in Django, "
        f"{format_duration(seen.query_s)} of that in {format_number(seen.queries)} queries and "
        f"{format_duration(seen.connecting_s)} in opening and closing connections; the garbage "
        "collector took "
        f"{format_percent(100 * seen.collecting_share)} of the CPU time."
    )
