"""Sentences about runs and executions, for pages and the terminal alike, and about doubts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from django.db.models import QuerySet

from benchsuite.comparing.titles import units_beside
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import UNREADABLE, Level, Status
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import MISSING, format_count, format_period, gathered
from benchsuite.findings.registry import FINDINGS
from benchsuite.models import Execution, Finding, Run
from benchsuite.stats.summary import samples_needed

SHAPES = {
    "valid": "●",
    "weak": "◐",
    "invalid": "○",
    "running": "▶",
    "failed": "✗",
    "interrupted": "■",
    UNREADABLE: "✗",
    "info": "◇",
}
"""Beside the word for a run, or for a finding, so that it is never told by a colour alone."""


def state(run: Run) -> str:
    """The one word for a run: its verdict or, when it has none, what became of it."""
    if run.status == Status.FINISHED.value and run.verdict:
        return run.verdict
    return run.status


def reason(run: Run, most: int = 200) -> str:
    """The first line of why a run has no result, or not a whole one."""
    lines = run.failure.strip().splitlines() or [""]
    return lines[0] if len(lines[0]) <= most else f"{lines[0][: most - 1]}…"


def model_sentence(runs: Iterable[Run]) -> str:
    """What the closed model can't show; empty where no users wait for answers."""
    asked = (run for run in runs if run.model == CLOSED and run.requests and run.unit != EVENT)
    return "Under overload real waits would be longer; --rate shows them." if any(asked) else ""


def figure(run: Run, metric: Metric) -> tuple[str, str]:
    """A figure of a run with its unit, or a dash and why there is none."""
    if (value := metric.value(run)) is None:
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


Doubt = tuple[Run, Finding]


def doubt_lines(rows: Sequence[Run], names: Mapping[Any, str] | None = None) -> list[str]:
    """For each finding who has it, the gravest, and its hint; `names` are those of the runs."""
    names = names or {row.pk: row.server for row in rows}
    runs = Counter(row.key for row in rows)
    always = {rule.code for rule in FINDINGS.values() if rule.always_told}
    by_code = gathered(
        (finding.code, (row, finding))
        for row in rows
        for finding in row.findings.all()
        if finding.level != Level.INFO.value or finding.code in always
    )
    lines: list[str] = []
    for code, doubts in sorted(by_code.items()):
        lines.append(f"{code}  {_who(doubts, runs, names)}: {_gravest(doubts)[1].message}")
        hints = (finding.hint for _, finding in doubts)
        lines += [f"  {hint}" for hint in dict.fromkeys(hints) if hint]
    return lines


def _who(doubts: Sequence[Doubt], runs: Mapping[str, int], names: Mapping[Any, str]) -> str:
    """ "uwsgi", "uwsgi, 3 of 4 runs", "all 12 configurations; worst, uwsgi"."""
    server = names[_gravest(doubts)[0].pk]
    keys, of = {row.key for row, _ in doubts}, len(runs)
    if len(keys) == 1:
        many, every = len({row.pk for row, _ in doubts}), runs[keys.pop()]
        return server if every == 1 else f"{server}, {many} of {every} runs"
    having = len(keys)
    who = f"{having} of {of}" if having < of else "both" if of == 2 else f"all {of}"
    return f"{who} configurations; worst, {server}"


def _gravest(doubts: Sequence[Doubt]) -> Doubt:
    """An invalid one before a weak one, then by value; without one it is no matter of degree."""
    weights = [
        (finding.level == Level.INVALID.value, inf if finding.value is None else finding.value)
        for _, finding in doubts
    ]
    return doubts[weights.index(max(weights))]


MACHINE = {
    "cpu_model": "CPU",
    "cpu_logical": "CPUs",
    "memory_gib": "memory (GiB)",
    "kernel": "kernel",
    "python_version": "Python",
}
"""Facts of an environment that a reader looks for first; its pages have all."""


def when(row: Execution) -> str:
    """When it was, how long it took, and how far it came."""
    words = f"{row.started_at:%d %b %Y, %H:%M} UTC"
    if row.ended_at:
        took = (row.ended_at - row.started_at).total_seconds()
        words += f", took {format_period(max(took, 1))}"
    return f"{words}, {row.status}{f', {row.label}' if row.label else ''}"


def machine(row: Execution) -> dict[str, object]:
    data = row.environment.data if row.environment else {}
    return {title: data[name] for name, title in MACHINE.items() if data.get(name)}


def servers(runs: QuerySet[Run]) -> list[str]:
    """ "gunicorn-sync 27.0.1" """
    named = runs.exclude(server_version="").order_by("server")
    return [" ".join(one) for one in named.values_list("server", "server_version").distinct()]


def environment(machine: Mapping[str, object], servers: Sequence[str]) -> dict[str, object]:
    return {**machine, **({"servers": ", ".join(servers)} if servers else {})}
