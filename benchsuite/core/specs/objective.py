"""What a tuning is to hold: "p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80"."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.spec import Spec
from benchsuite.core.units import LONGEST, format_bytes, parse_seconds

EXAMPLE = "p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80"
TOLD = 3.0  #: Misses that a goal must allow of all arrivals, so that none missed shows something.
_CONDITION = re.compile(
    r"\s*(?P<what>[a-z]+)(?P<percent>[\d.]*)\s*(?P<sign><=?)\s*(?P<limit>\S.*?)\s*"
)
_BYTES = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "kb": 1e3, "mb": 1e6, "gb": 1e9}


@dataclass(frozen=True, slots=True)
class Goal:
    """At least this share of the planned arrivals gets a right answer within a time."""

    share: float  #: 0.95
    within_s: float | None  #: None: at any time, so it is a goal of failures alone.

    @property
    def words(self) -> str:
        if self.within_s is None:
            return f"failures < {100 * (1 - self.share):.4g}%"
        return f"p{100 * self.share:.6g} < {1000 * self.within_s:.6g}ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective(Spec):
    """Conditions that must all hold; those of memory and connections hold at the rate found.

    A failed, unfinished or dropped arrival is a late one: percentiles of successes alone flatter a
    server that refuses.
    """

    goals: tuple[Goal, ...]
    memory_bytes: float | None = None  #: Of all processes of the server.
    connections: int | None = None  #: To the database, at most.

    def __post_init__(self) -> None:
        if not any(goal.within_s is not None for goal in self.goals):
            raise UsageError(
                f"An objective needs a response time, such as p95 < 200ms; for example: {EXAMPLE}"
            )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        cls.refuse_unknown(data)
        return cls(**{**data, "goals": tuple(Goal(**goal) for goal in data["goals"])})

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
        """The longest time that a goal allows."""
        return max(goal.within_s for goal in self.goals if goal.within_s is not None)


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
        found = _logit(1 - missing) - _logit(goal.share)
        (silent if not misses and allowed < TOLD else margins).append(found)
    return min(margins or silent)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def parse(text: str) -> Objective:
    """The objective in these words; raises UsageError."""
    goals: list[Goal] = []
    memory: float | None = None
    connections: int | None = None
    for part in text.split(","):
        match = _CONDITION.fullmatch(part.lower())
        if match is None:
            raise _wrong(part)
        what, percent, limit = match["what"], match["percent"], match["limit"]
        if what == "p" and percent:
            goals.append(Goal(_share(part, float(percent)), _time(part, limit)))
        elif what == "failures" and not percent and limit.endswith("%"):
            goals.append(Goal(1 - _share(part, _number(part, limit[:-1])), None))
        elif what == "memory" and not percent:
            memory = _size(part, limit)
        elif what == "connections" and not percent:
            connections = int(_number(part, limit))
        else:
            raise _wrong(part)
    return Objective(goals=tuple(goals), memory_bytes=memory, connections=connections)


def _share(part: str, percent: float) -> float:
    if not 0 < percent < 100:
        raise UsageError(f"{part.strip()[:LONGEST]!r}: {percent:g} must lie between 0 and 100.")
    return percent / 100


def _time(part: str, text: str) -> float:
    if (seconds := parse_seconds(text)) <= 0:
        raise _wrong(part)
    return seconds


def _number(part: str, text: str) -> float:
    if not re.fullmatch(r"\d+\.?\d*|\.\d+", text.strip()):
        raise _wrong(part)
    return float(text)


def _size(part: str, text: str) -> float:
    match = re.fullmatch(r"([\d.]+)\s*([a-z]*)", text)
    if match is None or match[2] not in _BYTES:
        raise _wrong(part)
    return _number(part, match[1]) * _BYTES[match[2]]


def _wrong(part: str) -> UsageError:
    return UsageError(
        f"{part.strip()[:LONGEST]!r} is no condition of an objective; for example: {EXAMPLE}"
    )
