"""One thing that was looked at, and how good it is."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    found: str
    advice: str = ""  #: What to do; empty when nothing need be.


def graded(name: str, value: float, limits: tuple[float, float], found: str, advice: str) -> Check:
    """Doubtful above the first limit, bad above the second; negative where less is worse."""
    doubtful, bad = limits
    state = State.BAD if value > bad else State.DOUBTFUL if value > doubtful else State.OK
    return Check(name=name, state=state, found=found, advice="" if state is State.OK else advice)
