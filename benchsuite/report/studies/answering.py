"""What a study answers to the questions in its file, as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchsuite.core.metrics.metric import Metric
from benchsuite.report.studies.tables import failed, rest_title, written
from benchsuite.studies import figures
from benchsuite.studies.answers import Answered, Arm, Lead, Situation, answered
from benchsuite.studies.claims import written as ratio
from benchsuite.studies.measured import Execution
from benchsuite.studies.study import Study

HOW = """\
The best has the best mean over the starts that count, with its 95 % interval. What is not told \
apart from it may be as good: the interval of their ratio holds 1, at 95 % for all that are held \
against it together. What is behind has its ratio to the best. What failed (B2xx) in half of its \
starts or more is not named. Nobody is where an arm that was measured has no start that counts, or \
one alone, or where half of the starts of one that is not behind are in doubt."""

NONE = " No cell of it is part of this execution."

SHAPES = {Lead.ALONE: "●", Lead.SHARED: "◐", Lead.UNTOLD: "◐"}


@dataclass(frozen=True, slots=True)
class Question:
    """One of the file, with a row for each situation of which a cell was executed."""

    asks: str
    by: str  #: What makes one the best.
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def questions(study: Study, execution: Execution) -> list[Question]:
    return [_question(study, one) for one in answered(study, execution)]


def _question(study: Study, found: Answered) -> Question:
    metric = next(figures.metric(one) for one in study.figures if one.name == found.by.figure)
    columns = {
        title: column for title, column in _columns(study, found.situations, metric) if any(column)
    }
    return Question(
        " ".join(found.answer.asks.split()),
        f"By {metric.headline()}; the {found.by.best} is the best.{NONE * (not found.situations)}",
        list(columns),
        list(zip(*columns.values(), strict=True)),
    )


def _columns(
    study: Study, every: Sequence[Situation], metric: Metric
) -> Iterator[tuple[str, list[str]]]:
    yield "case", [rest_title(study, one.where) or "all" for one in every]
    yield "best", [_best(one, metric) for one in every]
    yield Lead.SHARED, ["; ".join(_arm(arm, metric) for arm in one.best[1:]) for one in every]
    yield "behind", ["; ".join(map(_behind, one.behind)) for one in every]
    yield "failed", ["; ".join(_arm(arm, metric) for arm in one.failed) for one in every]
    yield "not known", ["; ".join(one.unknown) for one in every]
    yield "not measured", ["; ".join(one.absent) for one in every]


def _best(situation: Situation, metric: Metric) -> str:
    first = _arm(situation.best[0], metric) if situation.best else ""
    shape = SHAPES[situation.lead]
    if situation.lead is not Lead.UNTOLD:
        return f"{shape} {first}"
    return f"{shape} {Lead.UNTOLD}{f'; of those that count {first}' if first else ''}"


def _arm(arm: Arm, metric: Metric) -> str:
    """ "uvicorn 512 /s [501, 523] (1 of 2 starts failed: B201)" """
    value, low, high = arm.found.value, arm.found.low, arm.found.high
    said = written(metric, value) if value is not None else ""
    if low is not None and high is not None:
        said += f" [{written(metric, low)}, {written(metric, high)}]"
    why = failed(arm.cell)
    return f"{arm.name} {said}{f' ({why})' if why else ''}"


def _behind(arm: Arm) -> str:
    assert arm.ratio is not None
    value, low, high = arm.ratio.value, arm.ratio.low, arm.ratio.high
    between = f" [{ratio(low)}, {ratio(high)}]" if low is not None else ""
    return f"{arm.name} {ratio(value)} ×{between}"
