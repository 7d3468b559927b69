"""Comparisons as plain JSON, and conditions as JUnit XML: an undecided one is an error."""

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from benchsuite.comparing.cells import Cell, Standing, start
from benchsuite.comparing.contrasts import Contrast
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Decision, Judgement
from benchsuite.core.answer import Answer
from benchsuite.core.plain import plain
from benchsuite.core.printable import printable

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
