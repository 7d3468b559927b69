"""The segments of even load that a run has: its window or, with stages, the window of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.observations import Slots, UnderWay
from benchsuite.core.results import Summary
from benchsuite.core.samples import PAUSE, POPULATION
from benchsuite.load.job import stage_windows
from benchsuite.runner.figures import Figures, Window
from benchsuite.stats import signs, summary
from benchsuite.workloads.base import Population, Unit

Pauses = NDArray[np.void]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What the samples tell of one level of load; see `Evidence` for what the fields mean."""

    total: Summary
    window: Window  #: Monotonic seconds.
    waiting_users: float | None = None
    wakes_per_s: float = 0.0
    under_way: UnderWay | None = None
    answers_by_user: tuple[int, ...] = ()
    in_vain: int = 0
    slots: Slots | None = None
    unit: Unit | None = None  #: What the total is of, where that is not what the run's is of.


def segments(
    figures: Figures,
    *,
    alike: bool,
    at_once: int | None,
    populations: Sequence[Population] = (),
) -> tuple[Segment, ...]:
    """One for each stage that was reached, or for each population; one where there is only one
    level.

    `alike` tells whether all users do the same, `at_once` how many requests the target answers at
    the same time.
    """
    load, done = figures.load, figures.done
    if populations:
        return tuple(_population(figures, *one) for one in enumerate(populations, start=1))
    if load.stages:
        spans = list(zip(figures.stages, stage_windows(load, done), load.stages, strict=False))
    else:
        spans = [(figures.total, done.window, load.level)]
    return tuple(
        _open(figures, total, window, alike=alike, at_once=at_once)
        if load.is_open
        else _closed(figures, total, window, int(level), alike=alike)
        for total, window, level in spans
    )


def _population(figures: Figures, order: int, one: Population) -> Segment:
    """What is told of these users alone, who are numbered anew."""
    theirs = figures.samples[np.isin(figures.samples["user"], one.users)]
    theirs["user"] = np.searchsorted(one.users, theirs["user"])
    own = replace(figures, samples=theirs, unit=one.unit)
    count = len(one.users)
    name = f"{count} user{'s' * (count > 1)} of {one.name}"
    total = replace(own.total, name=name, scope=POPULATION, order=order)
    segment = _closed(own, total, own.done.window, count, alike=True)
    return replace(segment, unit=one.unit)


def _open(
    figures: Figures, total: Summary, window: Window, *, alike: bool, at_once: int | None
) -> Segment:
    keeps = figures.load.keep_alive
    return Segment(
        total=total,
        window=window,
        in_vain=signs.in_vain(figures.requests, window),
        under_way=UnderWay(
            arrived_per_s=total.requests / (window[1] - window[0]),
            mean=summary.concurrency(figures.requests, window=window, since="intended_start"),
            slots_busy_percent=at_once
            and signs.slots_busy_percent(figures.requests, window, at_once),
        ),
        slots=signs.slots(figures.journeys, window) if keeps and alike else None,
    )


def _closed(
    figures: Figures, total: Summary, window: Window, users: int, *, alike: bool
) -> Segment:
    in_vain = signs.in_vain(figures.requests, window)
    if not alike:
        return Segment(total=total, window=window, in_vain=in_vain)
    pauses = figures.of(PAUSE)
    pauses = pauses[pauses["user"] < users]
    return Segment(
        total=total,
        window=window,
        waiting_users=_waiting(figures, pauses, window, users),
        wakes_per_s=_ends_per_s(pauses, window),
        in_vain=in_vain,
        answers_by_user=signs.answers_by_user(figures.requests, window, users),
    )


def _waiting(figures: Figures, pauses: Pauses, window: Window, users: int) -> float | None:
    """Users who waited for answers: all but those who were seen to pause, and those who make or
    close connections. None when a run was stopped: who then waited is not known.
    """
    if figures.done.stopped or not len(figures.journeys):
        return None
    pausing = summary.concurrency(pauses, window=window)
    return users - pausing - figures.connecting(window)


def _ends_per_s(pauses: Pauses, window: Window) -> float:
    begin, end = window
    return float(np.count_nonzero((begin <= pauses["finish"]) & (pauses["finish"] < end))) / (
        end - begin
    )
