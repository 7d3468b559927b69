"""Runs of the same cell taken together, and which of its server starts count: one rule for tables,
lists, comparisons and gates.

* A start that is in doubt because of the machine or the load generator (B1xx, B4xx), or that was
  interrupted, is excluded, and counted as that: its figures say nothing about the server.
* A start that the server itself spoiled (B2xx, it did not start, it died) stays in the count:
  without it a server that fails looks better than it is. It makes its cell weak, from half of the
  starts on invalid. So does any other invalid start: only a known cause outside excuses one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Any

from benchsuite.bottlenecks.evidence import Other
from benchsuite.core import units
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import UNREADABLE, Level, Status, Verdict
from benchsuite.core.samples import JOURNEY, REQUEST
from benchsuite.core.specs import CLOSED
from benchsuite.findings.registry import FINDINGS, INVALID_SHARE, OUTSIDE
from benchsuite.models import Run
from benchsuite.stats.compare import Estimate, compare

OF_OTHERS = tuple(number for number, rule in FINDINGS.items() if rule.of_others)


class Standing(StrEnum):
    COUNTED = "counted"
    FAILED = "failed"  #: Counted, and spoiled by the server.
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Start:
    """One start: how it ended, its verdict or "", the codes of what makes it invalid."""

    status: str
    verdict: str
    codes: Sequence[str] = ()

    @property
    def standing(self) -> Standing:
        if self.status in (Status.RUNNING.value, Status.INTERRUPTED.value, UNREADABLE):
            return Standing.EXCLUDED
        if self.status == Status.FINISHED.value and self.verdict in (Verdict.VALID, Verdict.WEAK):
            return Standing.COUNTED
        if self.codes and all(code.startswith(OUTSIDE) for code in self.codes):
            return Standing.EXCLUDED
        return Standing.FAILED

    @property
    def has_own_figures(self) -> bool:
        """Whether its figures, where there are any, are those of this server, fairly measured."""
        of_others = any(code.startswith(OF_OTHERS) for code in self.codes)
        return self.standing is not Standing.EXCLUDED and not of_others

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not sound: "B401", "running"; empty for one that is."""
        if self.standing is Standing.COUNTED:
            return ()
        numbers = tuple(dict.fromkeys(code.split()[0] for code in self.codes))
        if self.status == Status.FINISHED.value:
            return numbers or (self.verdict or "not examined",)
        return numbers or ("no result" if self.status == Status.FAILED.value else self.status,)


@dataclass(frozen=True, slots=True)
class Starts:
    """All starts of a cell."""

    every: Sequence[Start]

    @property
    def counted(self) -> list[Start]:
        return [start for start in self.every if start.standing is not Standing.EXCLUDED]

    @property
    def failed(self) -> list[Start]:
        return [start for start in self.every if start.standing is Standing.FAILED]

    @property
    def excluded(self) -> list[Start]:
        return [start for start in self.every if start.standing is Standing.EXCLUDED]

    @property
    def verdict(self) -> Verdict:
        """Of all together: of no counted start invalid, else by how many failed or are weak."""
        if len(self.failed) >= INVALID_SHARE * len(self.counted):
            return Verdict.INVALID
        weak = any(start.verdict == Verdict.WEAK for start in self.counted)
        return Verdict.WEAK if weak or self.failed else Verdict.VALID

    @property
    def number(self) -> str:
        """ "6", or "5/6" where one of six is excluded."""
        counted, every = len(self.counted), len(self.every)
        return str(every) if counted == every else f"{counted}/{every}"

    @property
    def words(self) -> str:
        """ "6 runs", "1 of 6 runs excluded (B401 noisy-host)", "6 runs failed (B201 failures)"."""
        parts = [
            f"{of_runs(len(starts), len(self.every))} {what} ({reasons_of(starts)})"
            for starts, what in ((self.excluded, "excluded"), (self.failed, "failed"))
            if starts
        ]
        return "; ".join(parts) or of_runs(len(self.every), len(self.every))

    @property
    def is_whole(self) -> bool:
        """Whether every start counts and none failed."""
        return not self.excluded and not self.failed


def of_runs(many: int, of: int) -> str:
    """ "2 of 6 runs", "6 runs" where that is all of them."""
    runs = units.counted(of, "run")
    return runs if many == of else f"{many} of {runs}"


def reasons_of(starts: Iterable[Start]) -> str:
    """Most frequent first; each with how many, where not all have it."""
    counts = Counter(reason for start in starts for reason in start.reasons)
    names = {reason: FINDINGS[reason].code if reason in FINDINGS else reason for reason in counts}
    return ", ".join(
        f"{count} × {names[reason]}" if len(counts) > 1 and count > 1 else names[reason]
        for reason, count in counts.most_common()
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """One server under one load: all its starts; which of them count is the rule above."""

    runs: Sequence[Run]  #: In order of their start; never empty.
    title: str = ""  #: What tells it from the others that it is compared with.

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def starts(self) -> Starts:
        return Starts([start(run) for run in self.runs])

    @property
    def measured(self) -> list[Run]:
        """The runs with figures."""
        return [run for run in self.runs if run.goodput is not None]

    @property
    def entering(self) -> list[Run]:
        """The runs whose figures stand for the cell: its own, and not in doubt from outside."""
        return [run for run in self.measured if start(run).has_own_figures]

    @property
    def shown(self) -> list[Run]:
        """The runs whose figures are shown: of an invalid cell, in which none counts, all."""
        return self.entering or self.measured

    @property
    def goodput(self) -> float:
        """Its mean; 0 without one."""
        return self.middle("goodput") or 0.0

    @property
    def verdict(self) -> Verdict | None:
        """Of its starts together; None when none has figures."""
        return self.starts.verdict if self.measured else None

    @property
    def is_sound(self) -> bool:
        """Whether it may be ranked, and others divided by it."""
        return self.verdict in (Verdict.VALID, Verdict.WEAK) and bool(self.entering)

    @property
    def doubt(self) -> str:
        """Why nothing may be concluded from it; empty where something may."""
        return "" if self.is_sound else f"{self.title} is invalid: {self.starts.words}"

    def figures(self, metric: Metric) -> list[float]:
        """The figure of each of the starts shown that has it."""
        return [value for run in self.shown if (value := metric.value(run)) is not None]

    def compared(self, metric: Metric) -> list[float]:
        """One figure for each start that counts; less than nothing, as a slope may be, is none."""
        return [value for value in self.figures(metric) if value >= 0] if self.entering else []

    def middle(self, name: str) -> float | None:
        """The value of the figure of that name."""
        return self.value(every.figure(name))

    def value(self, metric: Metric) -> float | None:
        """The mean over its starts, or the sum of a figure that is told as one."""
        if not (known := self.figures(metric)):
            return None
        return sum(known) if metric.summed else fmean(known)


def per_journey(run: Run) -> float:
    """How many requests, or messages, a journey makes: arrivals are journeys, goodput is those."""
    parts = run.measurements.all()  # journeys are those of all stages
    journeys = sum(part.requests for part in parts if part.scope == JOURNEY)
    requests = sum(part.requests for part in parts if part.scope == "stage") or run.requests or 0
    return max(1.0, requests / journeys) if journeys else 1.0


def start(run: Run) -> Start:
    """What the rule of starts asks of a run; its findings only where they matter."""
    if run.status == Status.FINISHED.value and run.verdict in (Verdict.VALID, Verdict.WEAK):
        return Start(run.status, run.verdict)
    codes = (one.code for one in run.findings.all() if one.level == Level.INVALID.value)
    return Start(run.status, run.verdict, tuple(codes))


def cells(runs: Iterable[Run]) -> list[Cell]:
    """Runs of the same cell, label, code, software and machine together; most goodput first, by
    unit, then the invalid ones, then those without figures.
    """

    def order(cell: Cell) -> tuple[int, bool, str, float]:
        rank = 2 if not cell.measured else int(not cell.is_sound)
        return rank, cell.first.unit != REQUEST, cell.first.unit, -cell.goodput

    return sorted(grouped(runs), key=order)


def counted(runs: Iterable[Run]) -> list[Run]:
    """Without diagnostic starts, which never count, where there are others."""
    every = list(runs)
    return [run for run in every if not run.spec.get("diagnoses")] or every


def grouped(runs: Iterable[Run]) -> list[Cell]:
    """The same in the order of their first start. A run without figures knows no software and no
    machine; it goes with the newest runs of its cell and label.
    """

    def made_with(run: Run) -> tuple[object, ...]:
        versions = (run.revision, run.server_version, run.python_version, run.software_id)
        return (run.environment_id, *versions)

    in_order = sorted(runs, key=lambda run: (run.started_at, run.goodput is None))
    newest = {(run.key, run.label): made_with(run) for run in in_order if run.goodput is not None}
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in in_order:
        known = newest.get((run.key, run.label)) if run.goodput is None else made_with(run)
        groups.setdefault((run.key, run.label, known), []).append(run)
    return [Cell(tuple(group)) for group in groups.values()]


def alternatives(cell: Cell, cells: Sequence[Cell]) -> list[Other]:
    """Other sizes of its server and the other interface, that the same users asked for the same."""
    if cell.first.model != CLOSED:
        return []

    def server(run: Run) -> dict[str, Any]:
        sizes = ("processes", "threads")
        return {name: value for name, value in run.part("server").items() if name not in sizes}

    def interface(run: Run) -> str:
        return run.server_facts.get("interface") or ""

    def cpu(cell: Cell) -> list[float]:
        """CPU time of an answer in each start, in hundredths of a second."""
        known = [run for run in cell.shown if run.cpu_percent and run.throughput]
        return [(run.cpu_percent or 0.0) / (run.throughput or 1.0) for run in known]

    own, goodput = cell.first, every.figure("goodput")
    compared = []
    for beside in cells:
        other = beside.first
        if beside is cell or other.asked("server") != own.asked("server"):
            continue
        if server(other) != server(own) and interface(other) == interface(own):
            continue
        rate = _ratio(cell.figures(goodput), beside.figures(goodput))
        cpu_ratio = _ratio(cpu(cell), cpu(beside))
        if rate and cpu_ratio:
            copies = other.part("server").get("instances") or 1
            size = {"processes": copies * (other.processes or 1), "threads": other.threads or 1}
            compared.append(Other(**size, interface=interface(other), rate=rate, cpu=cpu_ratio))
    return compared


def _ratio(own: Sequence[float], other: Sequence[float]) -> Estimate | None:
    """As the same cells are compared everywhere; None with too few starts for an interval."""
    known = compare(other, own)
    if known.value is None or known.low is None or known.high is None:
        return None
    return Estimate(value=known.value, low=known.low, high=known.high)
