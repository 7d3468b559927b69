"""Comparisons for other programs: one plain JSON object, and conditions as JUnit XML.

A held condition is a passed test, a broken one a failure. An undecided one is an error, not
skipped: the command ends with a status of its own for it, and a report that shows only green beside
a failed job would mislead.
"""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from benchsuite.comparing.contrasts import Contrast, Side
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Decision, Judgement
from benchsuite.core.answer import Answer
from benchsuite.core.plain import plain
from benchsuite.core.printable import printable

ELEMENTS = {Decision.BROKEN: "failure", Decision.UNDECIDED: "error"}


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
    compared = contrast.found
    return {
        "metric": contrast.metric.short,
        "baseline": _side(contrast.baseline, contrast),
        "candidate": _side(contrast.candidate, contrast),
        "scale": compared.scale.value,
        "value": compared.value,
        "low": compared.low,
        "high": compared.high,
        "confidence": compared.confidence,
        "p": compared.p,
        "p_method": compared.p_method or None,
        "p_corrected": compared.p_corrected,
        "compared": compared.compared,
        "margin": compared.margin,
        "outcome": compared.outcome.value,
        "doubt": contrast.doubt or None,
        "better": contrast.is_better,
        "detectable": compared.detectable,
        "starts_needed": compared.starts_needed,
        "sentence": contrast.sentence,
    }


def _side(side: Side, contrast: Contrast) -> dict[str, Any]:
    return {
        "title": side.title,
        "verdict": side.cell.verdict.value if side.cell.verdict else None,
        "starts": side.cell.starts.words,
        "runs": [str(run.pk) for run in side.starts],
        "excluded": [str(run.pk) for run in side.cell.excluded],
        "failed": [str(run.pk) for run in side.cell.failed],
        "figures": side.figures(contrast.metric),
    }


def as_junit(judgements: Sequence[Judgement], first: Sequence[str] = ()) -> str:
    """One suite with a test case for each judgement; `first` is what must be known of them all."""
    count = {
        "tests": str(len(judgements)),
        "failures": str(sum(judgement.decision is Decision.BROKEN for judgement in judgements)),
        "errors": str(sum(judgement.decision is Decision.UNDECIDED for judgement in judgements)),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", count)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "comparebench", **count})
    if first:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(first)
    for judgement in judgements:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": f"benchsuite.{judgement.condition.metric.short}",
                "name": judgement.name,
                "time": "0",
            },
        )
        if judgement.decision in ELEMENTS:
            problem = ElementTree.SubElement(
                case,
                ELEMENTS[judgement.decision],
                {"type": judgement.decision.value, "message": judgement.sentence},
            )
            problem.text = judgement.contrast.sentence
        else:
            ElementTree.SubElement(case, "system-out").text = judgement.sentence
    ElementTree.indent(root)
    for element in root.iter():  # XML has no control characters, not even escaped
        element.attrib = {name: printable(value) for name, value in element.attrib.items()}
        element.text = printable(element.text or "") or None
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
