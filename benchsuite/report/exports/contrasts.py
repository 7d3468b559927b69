"""Contrasts and judgements as one plain JSON object, for machines."""

from collections.abc import Sequence
from typing import Any

from benchsuite.comparing.contrasts import Contrast, Side, corrected
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.gate import Judgement


def as_json(
    found: Sequence[Contrast],
    judgements: Sequence[Judgement],
    *,
    unlike: Sequence[str],
    comparison: Comparison,
    notes: Sequence[str],
) -> dict[str, Any]:
    """Seconds, bytes, percent of one CPU, shares from 0 to 1; a missing value is null."""
    return {
        "comparisons": [_contrast(one) for one in found],
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
        "notes": list(notes),
    }


def _contrast(one: Contrast) -> dict[str, Any]:
    found = one.found
    return {
        "metric": one.metric.short,
        "baseline": _side(one.baseline, one),
        "candidate": _side(one.candidate, one),
        "scale": found.scale.value,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
        "p": found.p,
        "p_method": found.p_method or None,
        "p_corrected": found.p_corrected,
        "compared": found.compared,
        "margin": found.margin,
        "outcome": found.outcome.value,
        "doubt": one.doubt or None,
        "better": one.is_better,
        "detectable": found.detectable,
        "starts_needed": found.starts_needed,
        "sentence": one.sentence,
        "corrected_for_cpu_speed": corrected(one) or None,
    }


def _side(side: Side, one: Contrast) -> dict[str, Any]:
    return {
        "title": side.title,
        "verdict": side.cell.verdict.value if side.cell.verdict else None,
        "starts": side.cell.starts.words,
        "runs": [str(run.pk) for run in side.starts],
        "excluded": [str(run.pk) for run in side.cell.excluded],
        "failed": [str(run.pk) for run in side.cell.failed],
        "figures": side.figures(one.metric),
    }
