"""What is asked of a tuning."""

from dataclasses import dataclass

from benchsuite.core.specs.objective import Objective
from benchsuite.tuning.trial import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which candidate holds the objective at the highest rate."""

    objective: Objective
    cpus: int  #: Of the target.
    budget_s: float = 900.0
    seed: int = 0
    current: Candidate | None = None  #: Always in the race.
    window_factor: float = 1.0  #: All windows are so many times as long.
