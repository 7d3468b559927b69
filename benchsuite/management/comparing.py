"""The work of `comparebench`, between its options and its exit status."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchsuite import conf
from benchsuite.comparing import differences, gate, pairing
from benchsuite.comparing.answer import of_pairs
from benchsuite.comparing.contrasts import DEFAULT, Contrast, contrasts, metric, parsed
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Judgement
from benchsuite.core.answer import Answer
from benchsuite.core.exceptions import UsageError
from benchsuite.management import html_files, streams
from benchsuite.management.options.parsing import names
from benchsuite.management.output import Screen
from benchsuite.report.exports.comparison import as_json, as_junit
from benchsuite.report.writers import to_markdown, to_terminal
from benchsuite.store import notes
from benchsuite.store.abandoned import sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """The result of a comparison, ready for any output."""

    answer: Answer
    contrasts: Sequence[Contrast]
    judgements: Sequence[Judgement]
    unlike: Sequence[str]  #: Reasons against this comparison; only if forced.
    comparison: Comparison


def compared(options: Mapping[str, Any]) -> ComparisonReport:
    """Compares what the options ask for; raises UsageError."""
    for name in ("json", "html", "junit", "markdown"):
        streams.check(f"--{name}", options[name])
    margins = (parsed(options["margin"]), conf.margins())
    metrics = [metric(name, *margins) for name in names("--metric", options["metric"]) or DEFAULT]
    conditions = [gate.parse(text) for text in options["fail_if"]]
    if options["junit"] and not conditions:
        raise UsageError("--junit writes results of conditions, and there are none; add --fail-if.")
    sweep()
    pairs, choices = pairing.pairs(options["names"], options["baseline"], notes.starred)
    comparison = Comparison(pairing.runs(pairs))
    unlike = differences.reasons(comparison)
    if unlike and not options["force"]:
        raise UsageError(f"{' '.join(unlike)} --force compares them anyway and says so.")
    made, judgements = contrasts(pairs, metrics), gate.judge(pairs, conditions)
    answer = of_pairs(pairs, made, judgements, comparison, unlike)
    return ComparisonReport(
        answer=replace(answer, cautions=[*choices, *answer.cautions]),
        contrasts=made,
        judgements=judgements,
        unlike=unlike,
        comparison=comparison,
    )


def show(report: ComparisonReport, *, quiet_stdout: bool) -> None:
    to_terminal(report.answer, Screen(quiet_stdout=quiet_stdout).console)


def write(report: ComparisonReport, options: Mapping[str, Any]) -> None:
    """Writes the requested files; raises BenchsuiteError for one that can't be written."""
    if options["json"]:
        content = as_json(
            report.answer,
            report.contrasts,
            report.judgements,
            unlike=report.unlike,
            comparison=report.comparison,
        )
        streams.write(options["json"], json.dumps(content, indent=2) + "\n")
    if options["html"]:
        runs = ",".join(str(run.pk) for run in report.comparison.runs)
        first = report.contrasts[0].baseline.cell.first.pk if report.contrasts else ""
        html_files.write(options["html"], "compare", runs=runs, baseline=first, forced=1)
    if options["junit"]:
        streams.write(options["junit"], as_junit(report.judgements, report.answer.premises))
    if options["markdown"]:
        text = to_markdown(report.answer)
        streams.write(options["markdown"], text)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary and Path(summary).absolute() != Path(options["markdown"]).absolute():
            streams.write(summary, text, mode="a")
