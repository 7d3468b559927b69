"""The work of `comparebench`, between its options and its exit status."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsuite import conf
from benchsuite.comparing import differences, gate, pairing
from benchsuite.comparing.contrasts import Contrast, contrasts, corrected, notes, speed_notes
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Judgement
from benchsuite.comparing.margins import DEFAULT, margins_sentence, metric, parsed
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.metric import Metric
from benchsuite.management import writing
from benchsuite.management.options.parsing import names
from benchsuite.management.output import Screen
from benchsuite.report.exports.contrasts import as_json
from benchsuite.report.exports.junit import as_junit
from benchsuite.report.terminal.contrasts import markdown, screen_table
from benchsuite.store.abandoned import sweep

LISTED = 12  #: Differences shown on the screen; the JSON has all.


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """The result of a comparison, ready for any output."""

    metrics: Sequence[Metric]
    found: Sequence[Contrast]
    judgements: Sequence[Judgement]
    unlike: Sequence[str]  #: Reasons against this comparison; only if forced.
    comparison: Comparison
    notes: Sequence[str]

    @property
    def first(self) -> list[str]:
        """What readers must know before any figure."""
        differing = differences.said_first(self.comparison, limit=LISTED)
        return [*(f"Forced. {reason}" for reason in self.unlike), *differing]


def compared(options: Mapping[str, Any]) -> ComparisonReport:
    """Compares what the options ask for; raises UsageError."""
    for name in ("json", "junit", "markdown"):
        writing.check(f"--{name}", options[name])
    margins = (parsed(options["margin"]), conf.margins())
    metrics = [metric(name, *margins) for name in names("--metric", options["metric"]) or DEFAULT]
    conditions = [gate.parse(text) for text in options["fail_if"]]
    if options["junit"] and not conditions:
        raise UsageError("--junit writes results of conditions, and there are none; add --fail-if.")
    sweep()
    pairs, said = pairing.pairs(options["names"], options["baseline"])
    comparison = Comparison(pairing.runs(pairs))
    unlike = differences.reasons(comparison)
    if unlike and not options["force"]:
        raise UsageError(f"{' '.join(unlike)} --force compares them anyway and says so.")
    return ComparisonReport(
        metrics=metrics,
        found=contrasts(pairs, metrics),
        judgements=gate.judge(pairs, conditions),
        unlike=unlike,
        comparison=comparison,
        notes=[*said, *notes(pairs), *speed_notes(pairs)],
    )


def show(found: ComparisonReport, *, quiet_stdout: bool) -> None:
    """Prints the table, a sentence for each comparison, the conditions, and notes."""
    console = Screen(quiet_stdout=quiet_stdout).console
    for line in found.first:
        console.say(line)
    console.table(screen_table(found.found))
    for one in found.found:
        console.say(one.sentence)
        if second := corrected(one):
            console.say(f"  {second}")
    console.say(margins_sentence(found.metrics))
    for judgement in found.judgements:
        console.say(judgement.sentence)
    for note in found.notes:
        console.say(f"Note: {note}")


def write(found: ComparisonReport, options: Mapping[str, Any]) -> None:
    """Writes the requested files; raises BenchsuiteError for one that can't be written."""
    if options["json"]:
        content = as_json(
            found.found,
            found.judgements,
            unlike=found.unlike,
            comparison=found.comparison,
            notes=found.notes,
        )
        writing.write(options["json"], json.dumps(content, indent=2) + "\n")
    if options["junit"]:
        writing.write(options["junit"], as_junit(found.judgements, found.first))
    if options["markdown"]:
        text = markdown(found.found, found.judgements, first=found.first, notes=found.notes)
        writing.write(options["markdown"], text)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary and Path(summary).absolute() != Path(options["markdown"]).absolute():
            writing.write(summary, text, mode="a")
