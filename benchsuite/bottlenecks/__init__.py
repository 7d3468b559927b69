"""What limits a run: each rule is a function of `LimitEvidence`, with code, figures, way out and
predicted gain. What was not observed names nothing.
"""

from benchsuite.bottlenecks import cpu, waiting  # noqa: F401 - each declares its rules
from benchsuite.bottlenecks.evidence import LimitEvidence
from benchsuite.bottlenecks.registry import CHECKS, Limit, unnamed


def name(evidence: LimitEvidence) -> list[Limit]:
    """The limits by code; last, where they explain too little of the time, that they do."""
    candidates = [
        (rule, Limit(code=rule.code, **fields))
        for rule, look in CHECKS
        for fields in look(evidence)
    ]
    numbers = {rule.number for rule, _ in candidates}
    limits_by_rule = [
        (rule, limit) for rule, limit in candidates if numbers.isdisjoint(rule.unless)
    ]
    parts = {part for rule, _ in limits_by_rule for part in rule.explains}
    limits = sorted((limit for _, limit in limits_by_rule), key=lambda limit: limit.code)
    return [*limits, *unnamed(evidence, parts)]
