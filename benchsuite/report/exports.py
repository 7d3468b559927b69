"""Runs as JSON and as CSV, comparisons as JSON, conditions as JUnit XML: for other programs."""

import csv
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from types import SimpleNamespace
from typing import Any
from uuid import UUID
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from benchsuite import conf
from benchsuite.comparing.cells import Cell, Standing, start
from benchsuite.comparing.contrasts import Contrast
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Decision, Judgement
from benchsuite.comparing.titles import around
from benchsuite.core.answer import Answer
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place, whole
from benchsuite.core.plain import plain
from benchsuite.core.printable import printable
from benchsuite.core.samples import FANOUT, HANDSHAKE
from benchsuite.models import Measurement, Run
from benchsuite.report import limiting
from benchsuite.report.parts import populations
from benchsuite.report.sentences import model_sentence
from benchsuite.store import notes, purposes
from benchsuite.store.interchange import as_plain

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How text begins that a spreadsheet may reckon with, in full-width characters, too."""

FACTS = (
    *("id", "batch", "started_at", "ended_at", "status", "verdict", "failure", "label"),
    *("project", "workload", "server", "server_version", "python_version", "revision"),
    *("processes", "threads", "model", "users", "arrival_rate", "warmup_s", "duration_s"),
    *("repetition", "unit"),
)
"""What is told of a run beside its figures, by columns of `Run`."""


def run_as_json(run: Run) -> dict[str, Any]:
    """One run as plain JSON: seconds, bytes, percent of one CPU; a missing value is null."""
    total, parts = whole(run), run.measurements.all()
    response_times = {one.scope: one.response_time for one in parts}
    return {
        **{name: _plain(getattr(run, name)) for name in FACTS},
        "url": conf.page(run.pk),
        "findings": [
            {name: getattr(finding, name) for name in ("code", "level", "message", "hint")}
            for finding in run.findings.all()
        ],
        **limiting.as_json(run),
        "argv": run.argv,
        "programs": run.programs,
        "delay": run.delay or None,
        "python_chosen": around(run.spec)["python"] or None,
        "python_facts": run.software.data["python"] if run.software else None,
        "packages": run.packages,
        "coordinated_omission": "possible" if model_sentence([run]) else None,
        "cpus_target": run.spec.get("server", {}).get("cpus"),
        "cpus_load": run.spec.get("load", {}).get("cpus"),
        **{one.name: one.value(run) for one in every.in_place(Place.JSON)},
        "failures_by_kind": total.failures_by_kind if total else {},
        **_times(total),
        "stages": [_part(one) for one in parts if one.scope == "stage"],
        "populations": [_part(one) for one in populations(run)],
        "handshake_time": _seconds(response_times.get(HANDSHAKE)),
        "fan_out_time": _seconds(response_times.get(FANOUT)),
        "websockets": run.websockets,
        "settings_changed": run.settings_changed,
        "environment": run.environment.data if run.environment else None,
        "spec": run.spec,
    }


def json_of(runs: Iterable[Run]) -> Iterator[str]:
    """A list with one object a run, piece by piece: the figures, one a line, and on a line of its
    own, under "stored", all that `loadbench` needs to store the run elsewhere. What runs were made
    for is under "made_for", and whole with the first of them; what people noted is under "notes".
    """
    before, written, notes_of = "[\n", set[UUID](), notes.for_export()
    for run in runs:
        figures, stored = json.dumps(run_as_json(run), indent=2), as_plain(run)
        more = {"made_for": purposes.as_plain(run, written), "notes": stored and notes_of(run)}
        parts = {"stored": stored, **{name: part for name, part in more.items() if part}}
        plain = ((name, json.dumps(one, separators=(",", ":"))) for name, one in parts.items())
        lines = (f'"{name}": {text}' for name, text in plain)
        text = ",\n  ".join([figures.removesuffix("\n}"), *lines]) + "\n}"
        yield before + textwrap.indent(text, "  ")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def csv_of(runs: Iterable[Run]) -> Iterator[str]:
    """One row a run, piece by piece; an empty field is a missing value."""
    figures = every.in_place(Place.CSV)
    rows = (
        [*(_plain(getattr(run, name)) for name in FACTS), *(one.value(run) for one in figures)]
        for run in runs
    )
    facts = [f"{name}_per_s" if name == "arrival_rate" else name for name in FACTS]
    return table_as_csv([*facts, *(one.with_unit for one in figures)], rows)


def table_as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """CSV with a header, line by line; None is empty, and what looks like a formula is disarmed."""
    echo: Any = SimpleNamespace(write=str)  # a row is written to what gives it back
    for row in chain([header], rows):
        yield csv.writer(echo).writerow(
            f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
            for value in row
        )


def _times(part: Measurement | None) -> dict[str, Any]:
    kinds = ("response_time", "service_time", "wait_time")
    return {kind: _seconds(getattr(part, kind, None)) for kind in kinds}


def _seconds(stored: Mapping[str, Any] | None) -> dict[str, float | None] | None:
    times = [one.name for one in every.METRICS if one.of_times]
    return {name: stored.get(name) for name in times} if stored else None


def _part(part: Measurement) -> dict[str, Any]:
    """One level of a run with several, or one kind of its users."""
    names = ["name", *(one.name for one in every.in_place(Place.JSON))]
    return {name: getattr(part, name) for name in names if hasattr(part, name)} | _times(part)


def _plain(value: Any) -> Any:
    """For machines: text without letters is missing."""
    if isinstance(value, datetime):
        return value.isoformat()
    return (str(value) or None) if isinstance(value, str | UUID) else value


ELEMENTS = {Decision.BROKEN: "failure", Decision.UNDECIDED: "error"}
COMPARED = (
    *("value", "low", "high", "confidence", "p", "p_corrected"),
    *("compared", "margin", "detectable", "starts_needed"),
)


def as_json(
    answer: Answer,
    contrasts: Sequence[Contrast],
    judgements: Sequence[Judgement],
    *,
    unlike: Sequence[str],
    comparison: Comparison,
) -> dict[str, Any]:
    """Seconds, bytes, percent of one CPU, shares from 0 to 1; a missing value is null."""
    return {
        "answer": plain(answer),
        "comparisons": [_contrast(one) for one in contrasts],
        "conditions": [
            {
                "condition": one.condition.text,
                "candidate": one.contrast.candidate.title,
                "baseline": one.contrast.baseline.title,
                "decision": one.decision.value,
                "why": one.why,
            }
            for one in judgements
        ],
        "unlike": list(unlike),
        "differences": [
            {
                "name": one.name,
                "values": dict(zip(comparison.titles, one.values, strict=True)),
                "matters": one.matters,
            }
            for one in comparison.differences
        ],
        "notes": list(answer.cautions),
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    compared = contrast.effect
    return {
        "metric": contrast.metric.short,
        "baseline": _cell(contrast.baseline, contrast),
        "candidate": _cell(contrast.candidate, contrast),
        "scale": compared.scale.value,
        **{name: getattr(compared, name) for name in COMPARED},
        "p_method": compared.p_method or None,
        "outcome": compared.outcome.value,
        "doubt": contrast.doubt or None,
        "better": contrast.is_better,
        "sentence": contrast.sentence,
    }


def _cell(cell: Cell, contrast: Contrast) -> dict[str, Any]:
    return {
        "title": cell.title,
        "verdict": cell.verdict.value if cell.verdict else None,
        "starts": cell.starts.words,
        "runs": [str(run.pk) for run in cell.entering],
        "excluded": [str(run.pk) for run in cell.runs if start(run).standing is Standing.EXCLUDED],
        "failed": [str(run.pk) for run in cell.runs if start(run).standing is Standing.FAILED],
        "figures": cell.compared(contrast.metric),
    }


def as_junit(judgements: Sequence[Judgement], first: Sequence[str] = ()) -> str:
    """One suite with a test case for each judgement; `first` is what must be known of them all."""
    decisions = [judgement.decision for judgement in judgements]
    count = {
        "tests": str(len(judgements)),
        "failures": str(decisions.count(Decision.BROKEN)),
        "errors": str(decisions.count(Decision.UNDECIDED)),
        "skipped": "0",
        "time": "0",
    }
    root = Element("testsuites", count)
    suite = SubElement(root, "testsuite", {"name": "comparebench", **count})
    if first:
        SubElement(suite, "system-out").text = "\n".join(first)
    for judgement in judgements:
        of, decision = f"benchsuite.{judgement.condition.metric.short}", judgement.decision
        case = SubElement(suite, "testcase", classname=of, name=judgement.name, time="0")
        if element := ELEMENTS.get(decision):
            problem = SubElement(case, element, type=decision.value, message=judgement.sentence)
            problem.text = judgement.contrast.sentence
        else:
            SubElement(case, "system-out").text = judgement.sentence
    indent(root)
    for part in root.iter():  # XML has no control characters, not even escaped
        part.attrib = {name: printable(value) for name, value in part.attrib.items()}
        part.text = printable(part.text or "") or None
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"
