"""What a run was made for: a study, or tunings."""

from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import read
from benchsuite.models import Run, TuningTrial
from benchsuite.tuning.log import PHASES
from benchsuite.tuning.trial import Trial


@dataclass(frozen=True, slots=True)
class MadeFor:
    whole: str  #: "the study shop"
    url: str
    part: str  #: Which part of it the run is, and why it was made.


def made_for(run: Run, *, in_tuning: bool = True) -> list[MadeFor]:
    """Empty where a command made the run for its own sake; `in_tuning` is False where it is known
    that no tuning has it.
    """
    found = []
    if (cell := run.study_cell) is not None:
        study = cell.study_run
        part = f"{cell}, start {run.repetition} of {study.repeat}"
        found.append(MadeFor(f"the study {study.name}", study.get_absolute_url(), part))
    for trial in run.trials.select_related("tuning") if in_tuning else ():
        tuning = trial.tuning
        found.append(
            MadeFor(f"the tuning {tuning.short_id}", tuning.get_absolute_url(), _start(trial))
        )
    return found


def _start(one: TuningTrial) -> str:
    number = f"start {one.order + 1}"
    try:
        told = read(Trial, one.trial)
    except UsageError:  # that of another benchsuite
        return number
    return f"{number}, {PHASES[told.phase]}: {told.reason}"
