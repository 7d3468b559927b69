"""Conditions of a candidate: "p95 > +10%" is broken by a p95 over 10 % above the baseline's."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchsuite.comparing.contrasts import Contrast, Pair, contrasts, few, metric
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.every import Metric, Scale

FORM = re.compile(r"\s*([a-z0-9]+)\s*([<>])\s*([+-]?\d+(?:\.\d+)?)\s*%\s*")


class Decision(StrEnum):
    HELD = "held"
    BROKEN = "broken"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Condition:
    """What must not be so."""

    text: str
    metric: Metric
    operator: str  #: "<" or ">".
    limit_percent: float  #: Change against the baseline; points where the metric is a share.

    def decide(self, low: float, high: float) -> Decision:
        """Broken when the whole interval is beyond the limit, held when none is; in its unit."""
        sign = 1 if self.operator == ">" else -1
        beyond = [sign * end > sign * self.limit_percent for end in (low, high)]
        if all(beyond):
            return Decision.BROKEN
        return Decision.UNDECIDED if any(beyond) else Decision.HELD


@dataclass(frozen=True, slots=True)
class Judgement:
    """One condition held against one candidate."""

    condition: Condition
    contrast: Contrast
    decision: Decision
    why: str

    @property
    def name(self) -> str:
        sides = f"{self.contrast.candidate.title} against {self.contrast.baseline.title}"
        return f"{sides}: {self.condition.text}"

    @property
    def sentence(self) -> str:
        return f"{self.name} is {self.decision.value}: {self.why}."


def parse(text: str) -> Condition:
    """A condition such as "p95 > +10%" or "goodput < -5%"; raises UsageError."""
    if (match := FORM.fullmatch(text)) is None:
        raise UsageError(
            f"--fail-if {text!r} is not a condition; write a metric, < or >, and a change in "
            'percent of the baseline, such as "p95 > +10%" or "goodput < -5%".'
        )
    name, operator, limit = match.groups()
    condition = Condition(" ".join(text.split()), metric(name), operator, float(limit))
    if condition.limit_percent <= -100 and condition.metric.scale is Scale.RATIO:
        raise UsageError(
            f"--fail-if {text!r} can't be decided by any measurement: no figure falls by 100 % or "
            "more; write a limit above -100%."
        )
    return condition


def judge(pairs: Sequence[Pair], conditions: Sequence[Condition]) -> list[Judgement]:
    """Each condition against each pair."""
    return [
        _judge(condition, contrast)
        for condition in conditions
        for contrast in contrasts(pairs, [condition.metric])
    ]


def overall(judgements: Iterable[Judgement]) -> Decision:
    """Broken when any is, else undecided when any is, else held."""
    decisions = {one.decision for one in judgements}
    worst = (Decision.BROKEN, Decision.UNDECIDED)
    return next((one for one in worst if one in decisions), Decision.HELD)


def _judge(condition: Condition, contrast: Contrast) -> Judgement:
    compared, doubt = contrast.effect, contrast.baseline.doubt or contrast.levels
    change, low, high = map(contrast.change_percent, (compared.value, compared.low, compared.high))
    if change is None or low is None or high is None or doubt:
        why = few([contrast], more=True).removesuffix(".") or contrast.says
        return Judgement(condition, contrast, Decision.UNDECIDED, why)
    decision = condition.decide(low, high)
    unit = "%" if compared.scale is Scale.RATIO else "points"
    why = f"{_signed(change)} {unit} [{_signed(low)}, {_signed(high)}]"
    starts = contrast.candidate.starts
    if decision is Decision.HELD and starts.failed:
        decision, why = Decision.UNDECIDED, f"{why}, but {starts.words}"
    elif decision is Decision.UNDECIDED:
        why += ", which reaches across the limit; more runs narrow it"
    return Judgement(condition, contrast, decision, why)


def _signed(change: float) -> str:
    """With one decimal, or as many as a small change needs: +3.1, −0.042."""
    if change == 0:
        return "0"
    return f"{change:+.{1 if abs(change) >= 0.095 else 3}f}".replace("-", "−")
