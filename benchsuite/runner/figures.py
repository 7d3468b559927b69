"""From the samples of a load to its figures: of all requests, of each name, and of each stage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchsuite.load.job import Done, pauses, stage_windows
from benchsuite.load.spool import NameEntry, Samples
from benchsuite.results import Interval, Summary
from benchsuite.specs import LoadProfile
from benchsuite.stats import summary
from benchsuite.stats.samples import Kind

Window = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one load."""

    samples: Samples
    names: Sequence[NameEntry]
    done: Done
    load: LoadProfile

    @property
    def requests(self) -> Samples:
        return self.samples[self._are_requests]

    @property
    def journeys(self) -> Samples:
        return self.samples[~self._are_requests]

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return tuple(
            summary.intervals(
                self.requests,
                origin=self.done.origin,
                window=self.done.window,
                pauses=self._pauses,
                users=() if self.load.is_open else self.done.users,
            )
        )

    @property
    def total(self) -> Summary:
        """Of all requests over the window, or over the windows of all stages together."""
        total = self._requests("all requests", "all", self.done.window, self._pauses)
        count = len(stage_windows(self.load, self.done))
        return self._with_arrivals(total, self.done.window, self._pauses, range(count))

    @property
    def by_name(self) -> Iterator[Summary]:
        for index, name in enumerate(self.names):
            yield summary.summarise(
                self.samples[self.samples["name"] == index],
                name=name.name,
                scope=name.scope,
                window=self.done.window,
                pauses=self._pauses,
                examples=name.examples,
                waits=self.load.is_open,
            )

    @property
    def stages(self) -> Iterator[Summary]:
        """None when there is only one level."""
        if not self.load.stages:
            return
        windows = stage_windows(self.load, self.done)
        for index, (level, window) in enumerate(zip(self.load.stages, windows, strict=False)):
            of_stage = self._requests(self.load.level_words(level), "stage", window, ())
            with_arrivals = self._with_arrivals(of_stage, window, (), range(index, index + 1))
            yield replace(with_arrivals, level=level, order=index + 1)

    @property
    def _are_requests(self) -> NDArray[np.bool_]:
        indexes = [index for index, name in enumerate(self.names) if name.scope == "request"]
        return np.isin(self.samples["name"], indexes)

    @property
    def _pauses(self) -> tuple[Window, ...]:
        return pauses(stage_windows(self.load, self.done))

    def _requests(
        self, name: str, scope: str, window: Window, without: Sequence[Window]
    ) -> Summary:
        return summary.summarise(
            self.requests,
            name=name,
            scope=scope,
            window=window,
            pauses=without,
            examples=self._examples,
            waits=self.load.is_open,
        )

    @property
    def _examples(self) -> Mapping[Kind, str]:
        examples: dict[Kind, str] = {}
        for name in self.names:
            if name.scope == "request":
                examples = {**name.examples, **examples}
        return examples

    def _with_arrivals(
        self, one: Summary, window: Window, without: Sequence[Window], stages: range
    ) -> Summary:
        if not self.load.is_open:
            return one
        arrivals = summary.arrivals(
            self.journeys,
            window=window,
            pauses=without,
            sent=sum(self.done.sent[stage] for stage in stages),
            dropped=sum(self.done.dropped[stage] for stage in stages),
        )
        return replace(one, arrivals=arrivals)
