"""Sentences about runs, for pages and the terminal alike, and what makes verdicts doubtful."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from operator import itemgetter

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.titles import units_beside
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import UNREADABLE, Level, Status, is_completion
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import (
    MISSING,
    THIN_SPACE,
    format_bytes,
    format_count,
    format_number,
    format_percent,
    format_period,
)
from benchsuite.findings.registry import FINDINGS
from benchsuite.models import Finding, Run
from benchsuite.stats.summary import samples_needed
from benchsuite.store.abandoned import windows_s


def model_sentence(runs: Iterable[Run]) -> str:
    """What the closed model can't show; empty where no users wait for answers."""
    units = {run.unit for run in runs if run.model == CLOSED and run.requests}
    if not units:
        return ""
    lines = ["Under overload real waits would be longer; --rate shows them."] * bool(
        units - {EVENT}
    )
    if EVENT in units:
        lines.append("A stall that delays many events of a stream is one long time between two.")
    return " ".join(lines)


def figure(run: Run, metric: Metric) -> tuple[str, str]:
    """A figure of a run with its unit, or a dash and why there is none."""
    value = metric.value(run)
    if value is None:
        return MISSING, missing_reason(run, metric)
    return metric.show(value, units_beside(run)), ""


def missing_reason(run: Run, metric: Metric) -> str:
    if run.status == Status.RUNNING.value:
        return "still running"
    if run.goodput is None:
        return f"not measured: the run {became(run)}"
    if metric.percent:
        needed = samples_needed(metric.percent)
        answered = (run.requests or 0) - (run.failures or 0)
        return f"needs {format_count(needed)} right answers, and the run has {answered}"
    return "not recorded"


def became(run: Run) -> str:
    words = {
        Status.FAILED.value: "failed",
        Status.INTERRUPTED.value: "was interrupted",
        UNREADABLE: "can’t be read",
    }
    return words.get(run.status, "kept no figures")


def completions_sentence(run: Run) -> str:
    """48 completed in 6 s (480 a minute, 120 pages/s), none failed, such as …; or empty."""
    if run.completions is None:
        return ""
    per_minute = every.figure("completions_per_minute").value(run)
    failed = format_count(run.failed_completions) if run.failed_completions else "none"
    sentence = (
        f"{format_count(run.completions)} completed in {format_period(windows_s(run))} "
        f"({format_number(per_minute)} a minute, {format_number(run.goodput)} pages/s),"
        f" {failed} failed"
    )
    examples = [
        f"{one.name}: {text}"
        for one in run.measurements.all()
        if is_completion(run.workload, one.scope, one.name)
        for text in one.failure_examples.values()
    ]
    return f"{sentence}, such as {examples[0]}" if examples else sentence


def completion_lines(cells: Sequence[Cell]) -> list[str]:
    """One line a run, most completions first; none for other workloads."""
    lines = [
        (run.completions or 0, f"{run.server}: {sentence}.")
        for cell in cells
        for run in cell.measured
        if (sentence := completions_sentence(run))
    ]
    return [line for _, line in sorted(lines, key=lambda pair: -pair[0])]


WRITTEN = {"%": format_percent, "bytes": format_bytes}  #: Values by their unit; others are counts.

Doubts = Sequence[tuple[Run, Finding]]


def doubt_lines(rows: Sequence[Run]) -> list[str]:
    """For each finding who has it, the gravest, the range of values, and its hint."""
    runs = Counter(row.key for row in rows)
    always = {rule.code for rule in FINDINGS.values() if rule.always_told}
    by_code: dict[str, dict[str, list[tuple[Run, Finding]]]] = {}
    for row in rows:
        for finding in row.findings.all():
            if finding.level != Level.INFO.value or finding.code in always:
                cells = by_code.setdefault(finding.code, {})
                cells.setdefault(row.key, []).append((row, finding))
    lines: list[str] = []
    for code, cells in sorted(by_code.items(), key=itemgetter(0)):
        doubts = [doubt for of_cell in cells.values() for doubt in of_cell]
        lines.append(f"{code}  {_who(cells, runs)}: {_gravest(doubts)[1].message}")
        hints = (finding.hint for _, finding in doubts)
        lines += [f"  {hint}" for hint in dict.fromkeys(hints) if hint]
    return lines


def _who(by_cell: Mapping[str, Doubts], runs: Mapping[str, int]) -> str:
    """ "uwsgi", "uwsgi, 3 of 4 runs", "all 12 configurations, 78.1–100 %; worst, uwsgi"."""
    doubts = [doubt for of_cell in by_cell.values() for doubt in of_cell]
    server = _gravest(doubts)[0].server
    if len(by_cell) == 1:
        ((key, of_cell),) = by_cell.items()
        many = len({row.pk for row, _ in of_cell})
        return server if runs[key] == 1 else f"{server}, {many} of {runs[key]} runs"
    values, extent = [finding.value for _, finding in doubts if finding.value is not None], ""
    write = WRITTEN.get(doubts[0][1].unit)
    if write is not None and len(values) == len(doubts):
        least, most = write(min(values)), write(max(values))
        unit = THIN_SPACE + most.rpartition(THIN_SPACE)[2]
        extent = f", {most if least == most else f'{least.removesuffix(unit)}–{most}'}"
    having, of = len(by_cell), len(runs)
    who = f"{having} of {of}" if having < of else "both" if of == 2 else f"all {of}"
    return f"{who} configurations{extent}; worst, {server}"


def _gravest(doubts: Doubts) -> tuple[Run, Finding]:
    """An invalid one before a weak one, then by value; without one it is no matter of degree."""

    def weight(doubt: tuple[Run, Finding]) -> tuple[bool, float]:
        finding = doubt[1]
        value = inf if finding.value is None else finding.value
        rule = FINDINGS.get(finding.code.split()[0])
        sign = -1 if rule and rule.fewer_is_worse else 1
        return finding.level == Level.INVALID.value, sign * value

    return max(doubts, key=weight)
