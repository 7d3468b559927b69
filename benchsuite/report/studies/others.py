"""An execution of a study beside others of it: one, or all that are like it."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.comparing.differences import SETTING, Difference, differences
from benchsuite.core.exceptions import UsageError
from benchsuite.models import Run, StudyRun
from benchsuite.report.studies import rows
from benchsuite.report.studies.told import Told, chosen, told
from benchsuite.studies import figures, trend
from benchsuite.studies.claims import place, written
from benchsuite.studies.intervals import Interval
from benchsuite.studies.trend import FEWEST_EXECUTIONS, Change, trends

OTHER_FILE = "The two are of another file or scale: cells with the same values may not be the same."
ALIKE = "Their environments don’t differ in what matters."
NONE_TURNED = "No claim came out otherwise."

MOST_EXECUTIONS = 60  #: In a trend, the newest.


@dataclass(frozen=True, slots=True)
class Beside:
    """What this execution has otherwise than an earlier or another one."""

    other: Told
    environment: Sequence[Difference]
    found: trend.Difference
    same_file: bool

    @property
    def changes(self) -> dict[str, list[tuple[str, str, str]]]:
        """Cell, figure, and ratio with its interval: first those that show a difference."""
        titles = {one.name: figures.metric(one).headline() for one in self.other.study.figures}
        found: dict[str, list[tuple[str, str, str]]] = {"shown": [], "not shown": []}
        for one in self.found.changes:
            if one.found.value is not None:
                found["shown" if one.is_shown else "not shown"].append(_change(one, titles))
        return found

    @property
    def title(self) -> str:
        return f"Against the execution of {self.other.when}"

    @property
    def notes(self) -> list[str]:
        """Sentences about the two as a whole."""
        return [
            *[OTHER_FILE] * (not self.same_file),
            *[ALIKE] * (not self.environment),
            *[NONE_TURNED] * (not self.found.turned),
        ]

    @property
    def missing(self) -> list[str]:
        return [
            *(f"{place(one)}: measured there only" for one in self.found.only_earlier),
            *(f"{place(one)}: measured here only" for one in self.found.only_later),
        ]


def _change(one: Change, titles: dict[str, str]) -> tuple[str, str, str]:
    return place(one.coordinates), titles[one.figure], interval_words(one.found)


def interval_words(found: Interval) -> str:
    """ "1.02 [0.98, 1.06]", or with the reason why there is no interval."""
    if found.low is None or found.high is None:
        return f"{written(found.value)} ({found.reason})"
    return f"{written(found.value)} [{written(found.low)}, {written(found.high)}]"


def beside(mine: Told, other: Told) -> Beside:
    """This one divided by the other; settings are the study's own, and not told."""
    firsts = [_first(one.row) for one in (other, mine)]
    known = [one for one in firsts if one is not None]
    unlike = differences(known) if len(known) == len(firsts) else []
    return Beside(
        other,
        [one for one in unlike if one.matters and not one.name.startswith(SETTING)],
        trend.difference(mine.study, other.execution, mine.execution),
        mine.row.digest == other.row.digest and mine.row.scale == other.row.scale,
    )


def chosen_beside(mine: Told, which: str) -> Beside | None:
    """The same beside another execution of the study, by id or label; none where none is named."""
    name, row = mine.row.name, mine.row
    return beside(mine, told(chosen(name, which, besides=row))) if which else None


def _first(row: StudyRun) -> Run | None:
    """Of its first cell that was measured."""
    runs = Run.objects.filter(study_cell__study_run=row, environment__isnull=False)
    wanted = runs.select_related("environment", "software").order_by("study_cell__order")
    return wanted.first()


@dataclass(frozen=True, slots=True)
class Steps:
    """Where a figure changed over the executions that are like this one."""

    figure: str
    executions: Sequence[StudyRun]
    found: Sequence[tuple[str, str]]  #: Cell, and its steps in words.
    reason: str = ""  #: Why none were looked for.

    @property
    def title(self) -> str:
        return f"Trend of {self.figure}"

    @property
    def sentences(self) -> list[str]:
        """The steps of each cell, or why there are none."""
        steps = [f"{cell}: {words}" for cell, words in self.found]
        return steps or [self.reason or f"No step in {len(self.executions)} executions."]


def steps(mine: Told) -> Steps:
    """Of the figure that the study is about, else of its first."""
    study, row = mine.study, mine.row
    if not study.figures:
        return Steps("figures", (), (), "The study names no figures.")
    every = rows.executions(row.name).filter(
        digest=row.digest, scale=row.scale, only=row.only, environment=row.environment
    )
    like = list(every.exclude(ended_at=None)[:MOST_EXECUTIONS])[::-1]
    name = study.objective.figure if study.objective else study.figures[0].name
    title = next(figures.metric(one).headline() for one in study.figures if one.name == name)
    if len(like) < FEWEST_EXECUTIONS:
        said = f"{len(like)} execution{'s' * (len(like) != 1)} of this file, scale and environment"
        return Steps(title, like, (), f"{said}; steps are looked for from {FEWEST_EXECUTIONS} on.")
    executions = [rows.execution(one, study) for one in like]
    try:
        found = trends(executions, name)
    except UsageError as error:
        return Steps(title, like, (), str(error))
    told_steps = [
        (
            place(one.coordinates),
            "; ".join(
                f"× {step.ratio:.3g} from {like[step.at].started_at:%d %b %Y}" for step in one.steps
            ),
        )
        for one in found
        if one.steps
    ]
    return Steps(title, like, told_steps)
