"""What a tuning is to hold: "p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80"."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.plain import LARGEST
from benchsuite.core.specs.spec import Spec
from benchsuite.core.units import LONGEST, format_bytes, format_duration, short

EXAMPLE = "p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80"
TOLD = 3.0  #: Misses that a goal must allow of all arrivals, so that none missed shows something.
_BETWEEN = re.compile(r"[,;&]|\band\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\s*(?P<what>p?[a-z]*)(?P<percent>(?<=p)\d+(?:\.\d*)?)?\s*(?:<=?|=<|≤)"
    r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>[a-z%]*)\s*",
    re.IGNORECASE,
)
LIMITED = ("mean", "failures", "memory", "connections")
_SECONDS = {"ms": 0.001, "s": 1.0}
_BYTES = {
    f"{letter}{more}": (1000.0 if more == "B" else 1024.0) ** power
    for more in ("", "iB", "i", "B")
    for letter, power in (("M", 2), ("G", 3), ("K", 1))
}
"""As containers and systemd take them: 512M are MiB, and 512 MB are a million bytes each."""
_LONGEST_S = 60.0  # a load waits ten times as long for its last answers


@dataclass(frozen=True, slots=True)
class Goal:
    """Such a share of planned arrivals gets a right answer in time; or they do so on average."""

    share: float  #: 0.95
    within_s: float | None  #: None: at any time, so it is a goal of failures alone.
    is_mean: bool = False  #: Then the share is limit / (limit + mean): 0.5 where they are equal.

    @property
    def name(self) -> str:
        """ "p95", "mean"; of failures "failures"."""
        if self.within_s is None:
            return "failures"
        return "mean" if self.is_mean else f"p{100 * self.share:.6g}"

    @property
    def words(self) -> str:
        if self.within_s is None:
            return f"failures < {100 * (1 - self.share):.4g}%"
        return f"{self.name} < {1000 * self.within_s:.6g}ms"

    def reached(self, share: float) -> str:
        """ "96.3 % in time", "a mean of 43 ms"."""
        if self.is_mean and share:
            return f"a mean of {format_duration((self.within_s or 0.0) * (1 - share) / share)}"
        return f"{100 * share:.3g} % {'right' if self.within_s is None else 'in time'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective(Spec):
    """Conditions that must all hold, at the rate found. An arrival that failed, is unfinished or
    was dropped is late: percentiles of successes flatter a server that refuses.
    """

    goals: tuple[Goal, ...]
    memory_bytes: float | None = None  #: Of all processes of the server.
    connections: int | None = None  #: To the database, at most.

    def check(self) -> None:
        if not any(goal.within_s is not None for goal in self.goals):
            raise UsageError(
                f"An objective needs a response time, such as p95 < 200ms; for example: {EXAMPLE}"
            )

    @property
    def words(self) -> str:
        parts = [goal.words for goal in self.goals]
        if self.memory_bytes is not None:
            parts.append(f"memory <= {format_bytes(self.memory_bytes)}")
        if self.connections is not None:
            parts.append(f"connections <= {self.connections}")
        return ", ".join(parts)

    @property
    def limit_s(self) -> float:
        """The longest time that a goal allows; twice a mean: at most half lie beyond (Markov)."""
        return max((1 + goal.is_mean) * (goal.within_s or 0.0) for goal in self.goals)


def margin(goals: Sequence[Goal], planned: int, met: Sequence[int]) -> float:
    """How far the goals are met, in logits: the least over all; 0 where a share is just its goal.

    `met` holds, goal by goal, how many of the `planned` arrivals met it. Half an arrival is added
    on either side, so a level without a late arrival is not infinitely good; less than half where a
    goal allows so few misses that half of one would be too many. A goal that so few arrivals can't
    show counts only where it was missed, or where there is no other.
    """
    margins: list[float] = []
    silent: list[float] = []
    for goal, count in zip(goals, met, strict=True):
        misses, allowed = planned - count, (planned + 1) * (1 - goal.share)
        missing = (misses + min(0.5, allowed / 2)) / (planned + 1)
        odds = (1 - missing) / missing, goal.share / (1 - goal.share)
        difference = math.log(odds[0]) - math.log(odds[1])
        (silent if not misses and allowed < TOLD else margins).append(difference)
    return min(margins or silent)


def parse(text: str) -> Objective:
    """The objective in these words; raises UsageError."""
    goals: dict[str, Goal] = {}
    limits: dict[str, float] = {}
    for part in filter(str.strip, _BETWEEN.split(text)):
        if (match := _CONDITION.fullmatch(part)) is None:
            raise UsageError(
                f"{_quoted(part)} is no condition of an objective; for example: {EXAMPLE}"
            )
        what = short(f"{match['what']}{match['percent'] or ''}".lower())
        if not match["percent"] and what not in LIMITED:
            raise UsageError(
                f"{_quoted(part)}: an objective can't limit {what or 'nothing'!r}; "
                f"{choices(what, ['p95', *LIMITED])}"
            )
        if what in goals or what in limits:
            raise UsageError(f"The objective limits {what} twice: leave one of both out.")
        if match["percent"]:
            share = _share(part, float(match["percent"]))
            goals[what] = Goal(share, _limit(part, match, _SECONDS, _LONGEST_S))
        elif what == "mean":
            goals[what] = Goal(0.5, _limit(part, match, _SECONDS, _LONGEST_S), is_mean=True)
        elif what == "failures":
            goals[what] = Goal(1 - _share(part, _limit(part, match, {"%": 1.0})), None)
        else:
            limits[what] = _limit(part, match, _BYTES if what == "memory" else {"": 1.0})
    most = limits.get("connections")
    if most is not None and most % 1:
        raise UsageError(f"{most:g} connections can't be had: write a whole number.")
    return Objective(
        goals=tuple(goals.values()),
        memory_bytes=limits.get("memory"),
        connections=None if most is None else int(most),
    )


def _share(part: str, percent: float) -> float:
    if not 0 < percent < 100:
        raise UsageError(f"{_quoted(part)}: {percent:g} must lie between 0 and 100.")
    share = percent / 100
    if not 0 < share < 1 or 1 - share == 1:
        raise UsageError(f"{_quoted(part)}: no load shows so little as {percent:g} %.")
    return share


def _limit(
    part: str, match: re.Match[str], units: Mapping[str, float], most: float = math.inf
) -> float:
    """What the condition allows, in the base unit."""
    unit, by_unit = match["unit"], {name.lower(): value for name, value in units.items()}
    if unit.lower() not in by_unit:
        known = " or ".join(list(filter(None, units))[:2]) or "none"
        raise UsageError(f"{_quoted(part)} has {unit or 'no unit'} where {known} is needed.")
    value = float(match["number"]) * by_unit[unit.lower()]
    if not 0 < value <= most:
        at_most = f" and at most {most:g}s" if most < math.inf else ""
        raise UsageError(f"{_quoted(part)}: the limit must be above 0{at_most}.")
    if value >= LARGEST:
        raise UsageError(f"{_quoted(part)}: so high a limit limits nothing; leave it out.")
    return value


def _quoted(part: str) -> str:
    return repr(part.strip()[:LONGEST])


SOON_S = 0.1  #: What people take for at once: nobody needs less.
TIMES = 4.0  #: So much longer than alone may somebody wait among others.


def proposed(alone_s: float) -> str:
    """An objective for a page that takes one user so long: four times that, rounded up."""
    wanted_s = min(_LONGEST_S, max(SOON_S, TIMES * alone_s))
    power = 10.0 ** math.floor(math.log10(wanted_s))
    limit_s = next(one * power for one in (1, 2, 5, 10) if one * power >= wanted_s * (1 - 1e-9))
    return f"p95 < {1000 * min(_LONGEST_S, limit_s):.6g}ms, failures < 0.1%"
