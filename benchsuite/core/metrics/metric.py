"""What is known of a figure of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Any

from benchsuite.core.results import RunResult
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)

Of = Callable[[Any], float | None]  #: From a stored run, or from what has its columns.
Read = Callable[[RunResult], float | None]


class Unit(StrEnum):
    RATE = "per second"
    SECONDS = "seconds"
    BYTES = "bytes"
    COUNT = "count"
    CPUS = "percent of one CPU"  #: Written as a number of CPUs: 190 % is 1.90.
    PERCENT = "percent"
    SHARE = "share from 0 to 1"
    NUMBER = "number"


class Better(StrEnum):
    MORE = "more"
    LESS = "less"


class Scale(StrEnum):
    """What two sides are compared by."""

    RATIO = "ratio"  #: Candidate divided by baseline; 1 is no difference.
    DIFFERENCE = "difference"  #: Candidate less baseline: for shares, which may be 0.


class Place(Flag):
    """Where figures are told."""

    NOWHERE = 0
    LIST = auto()
    TILE = auto()  #: The run page.
    COMPARE = auto()  #: The compare page.
    TERMINAL = auto()  #: The table of `runbench`.
    STAGE = auto()  #: The table of stages, in the terminal.
    PART = auto()  #: Tables of journeys, requests and kinds of users.
    CSV = auto()
    JSON = auto()


def always(run: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a run; docs/reading-results.md says what it means."""

    name: str  #: With its unit, as column, CSV and JSON have it: "p95_s".
    unit: Unit
    better: Better | None
    places: Place = Place.NOWHERE
    read: Read | None = None  #: Fills its column.
    of: Of | None = None  #: Where it has no column. In a CSV it may use columns of figures alone.
    only: Callable[[Any], bool] = always  #: Whether a run may have it at all.
    note: Callable[[Any], str] | None = None  #: What stands beside it on the run page.
    title: str = ""
    """Where its name without the unit won't do; only the run page has what is in brackets.
    "{units}" stands for what was answered.
    """
    short: str = ""  #: As `comparebench` calls it: "p95"; empty: runs are not compared by it.
    margin: float = 0.01  #: A smaller change of the ratio, or difference of shares, doesn't matter.
    of_answers: bool = False  #: Of requests, messages or handshakes, which never mix.
    of_times: bool = False  #: A response time: stages and names have it among theirs.
    percent: int = 0  #: Of a percentile, which a small sample can't carry.
    summed: bool = False  #: Over several starts the sum is told, not the median.
    spare: int = 0  #: When a narrow terminal leaves it out: the least first; 0: never.

    def headline(self, units: str = "count") -> str:
        title = self.title or self.name.removesuffix("_s").replace("_", " ")
        return title.format(units=units)

    @property
    def with_unit(self) -> str:
        """Its name as headers of a CSV have it: "goodput_per_s"."""
        suffix = _SUFFIXES.get(self.unit, "")
        return self.name if self.name.endswith(suffix) else f"{self.name}{suffix}"

    @property
    def heading(self) -> str:
        """Of its column in a table, and in a sentence."""
        return self.headline().partition(" (")[0]

    @property
    def scale(self) -> Scale:
        return Scale.DIFFERENCE if self.unit is Unit.SHARE else Scale.RATIO

    @property
    def more_is_better(self) -> bool:
        return self.better is Better.MORE

    @property
    def margin_words(self) -> str:
        """1 %, or 0.1 points of a share."""
        unit = "%" if self.scale is Scale.RATIO else "points"
        return f"{self.margin * 100:.3g} {unit}"

    @property
    def won(self) -> str:
        """What the best did: "had the shortest p95"."""
        if self.more_is_better:
            return "answered most" if self.unit is Unit.RATE else f"had the most {self.heading}"
        least = "had the shortest" if self.unit is Unit.SECONDS else "needed the least"
        return f"{least} {self.heading}"

    def beside(self, ratio: str, other: str) -> str:
        """What one has of it: "answers 1.23 × uvicorn", "has 0.77 × the p95 of uvicorn"."""
        if self.more_is_better and self.unit is Unit.RATE:
            return f"answers {ratio} × {other}"
        return f"has {ratio} × the {self.heading} of {other}"

    def value(self, run: Any) -> float | None:
        figure: float | None = self.of(run) if self.of else getattr(run, self.name)
        return figure

    def of_part(self, part: Any) -> float | None:
        """Of the stored figures of a stage, of a kind of users, or of a name."""
        times = part.response_time or {}
        figure: float | None = (
            times.get(self.name) if self.of_times else getattr(part, self.name, None)
        )
        return figure

    def show(self, value: float | None, units: str = "") -> str:
        """With its unit, or "—"; `units` are what was answered, where these are no requests."""
        if self.unit is Unit.RATE:
            return format_rate(value, units if self.of_answers else "")
        return _SHOW[self.unit](value)


_SUFFIXES = {
    Unit.RATE: "_per_s",
    Unit.SECONDS: "_s",
    Unit.BYTES: "_bytes",
    Unit.CPUS: "_percent",
    Unit.PERCENT: "_percent",
    Unit.SHARE: "_share",
}
_SHOW: dict[Unit, Callable[[float | None], str]] = {
    Unit.SECONDS: format_duration,
    Unit.BYTES: format_bytes,
    Unit.COUNT: format_count,
    Unit.CPUS: lambda percent: MISSING if percent is None else f"{percent / 100:.2f}",
    Unit.PERCENT: format_percent,
    Unit.SHARE: lambda share: MISSING if share is None else format_percent(share * 100),
    Unit.NUMBER: format_number,
}
