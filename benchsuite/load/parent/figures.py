"""From the samples of a load to its figures; those of parts add up to those of the whole. What
broadcasts are to subscribers is made into samples of its own first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from statistics import median

import numpy as np

from benchsuite.core import samples as scopes
from benchsuite.core.exceptions import LoadError
from benchsuite.core.observations import Segment
from benchsuite.core.readings import TARGET, memory
from benchsuite.core.results import (
    Accounts,
    IdleMemory,
    Interval,
    Pattern,
    Reading,
    Summary,
    WebSockets,
)
from benchsuite.core.samples import REQUEST, UNITS, Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.core.specs.load import USER
from benchsuite.load.job import TINY_S, Done, stage_windows
from benchsuite.load.parent.driver import NameEntry, Part, together
from benchsuite.stats import messages, signs, summary
from benchsuite.stats.patterns import patterns
from benchsuite.stats.steady import slope
from benchsuite.stats.summary import Samples, inside
from benchsuite.workloads.base import Population

Window = tuple[float, float]
KINDS = 256  #: More than there are.
NEVER = "a subscriber did not get it within the time-out"
LATE = "came after one that was published later"
Counts = Mapping[tuple[str, str, int], int]  #: Of a whole load: samples by name, scope and kind.


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """The figures of a load that hold for parts of it as well, and add up."""

    counts: Counts
    intervals: tuple[Interval, ...]
    total: Summary | None = None  #: As what follows: nothing where no window had begun.
    by_name: Mapping[tuple[str, str], Summary] = field(default_factory=dict)  #: And by scope.
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one load, or of a part of it."""

    samples: Samples
    names: Sequence[NameEntry]
    done: Done
    load: LoadProfile
    unit: str = REQUEST  #: What the figures are of: requests, messages, handshakes or events.
    at_once: int | None = None  #: Requests that the target answers at once, if limited.
    alike: bool = False  #: Whether all users do the same.
    whole: bool = True  #: Else it is a part, whose slow answers need not show what they share.

    def together(self, populations: Sequence[Population] = ()) -> LoadFigures:
        known = LoadFigures(counts=counted(self.samples, self.names), intervals=self.intervals)
        if self.done.window[1] <= self.done.window[0]:
            return known
        total = self.total
        return replace(
            known,
            total=total,
            by_name={(named.name, named.scope): named for named in self.by_name},
            segments=self._segments(populations, total),
        )

    @property
    def requests(self) -> Samples:
        """What the figures are of."""
        return self.of(*UNITS[self.unit])

    @property
    def journeys(self) -> Samples:
        return self.of(scopes.JOURNEY)

    def of(self, *wanted: str) -> Samples:
        indexes = [index for index, name in enumerate(self.names) if name.scope in wanted]
        return self.samples[np.isin(self.samples["name"], indexes)]

    def connecting(self, window: Window, pauses: Sequence[Window] = ()) -> float:
        """Mean users that were making or closing connections, where figures are not of these."""
        beside = {scopes.HANDSHAKE, scopes.CLOSING} - set(UNITS[self.unit])
        return summary.concurrency(self.of(*beside), window=window, pauses=pauses)

    @property
    def rate_connected(self) -> float | None:
        """Messages per second if no time of the users went into handshakes and closings."""
        total = self.total
        if not total.goodput or not total.concurrency or self.unit != scopes.MESSAGE:
            return None
        connecting = self.connecting(self.done.window, self._pauses)
        return total.goodput * (total.concurrency + connecting) / total.concurrency

    @property
    def accounts(self) -> Accounts:
        """What became of all messages and connections."""
        ends = (scopes.STRAY, scopes.UNSOLICITED, scopes.HANDSHAKE, scopes.CONNECTION)
        by_scope = {scope: self.of(scope) for scope in ends}
        by_scope[scopes.MESSAGE] = self.of(scopes.MESSAGE, scopes.EVENT)
        return messages.accounts(by_scope, self.done.window, self._pauses)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return tuple(
            summary.intervals(
                self.requests,
                origin=self.done.origin,
                window=self.done.window,
                pauses=self._pauses,
                users=() if self.load.is_open else self.done.users,
                connections=self.done.connections,
                strays=self.of(scopes.STRAY) if self.done.connections else None,
            )
        )

    @property
    def total(self) -> Summary:
        """Of all requests over the window, or over the windows of all stages together."""
        stages = slice(len(stage_windows(self.load, self.done)))
        return self._requests(f"all {self.unit}s", "all", self.done.window, self._pauses, stages)

    @property
    def by_name(self) -> Iterator[Summary]:
        for index, name in enumerate(self.names):
            if name.scope in scopes.ASIDE:
                continue
            samples = self.samples[self.samples["name"] == index]
            window, pauses = self.done.window, self._pauses
            if name.scope == scopes.HANDSHAKE and len(samples) and self.unit != scopes.HANDSHAKE:
                # Those that all came before the window, as where connections are kept, or that
                # are a fixed amount of work, have the time that they took.
                meant = samples["intended_start"]
                if self.load.iterations or not inside(meant, window, pauses).any():
                    window = float(meant.min()), float(samples["finish"].max()) + TINY_S
                    pauses = ()
            yield summary.summarise(
                samples,
                name=name.name,
                scope=name.scope,
                window=window,
                pauses=pauses,
                examples=name.examples,
                waits=self.load.is_open,
            )

    @property
    def stages(self) -> Iterator[Summary]:
        """None when there is only one level."""
        if not self.load.stages:
            return
        who = USER if self.unit == REQUEST else "connection"
        windows = stage_windows(self.load, self.done)
        for index, (level, window) in enumerate(zip(self.load.stages, windows, strict=False)):
            words, alone = self.load.level_words(level, who), slice(index, index + 1)
            of_stage = self._requests(words, "stage", window, (), alone)
            yield replace(of_stage, level=level, order=index + 1)

    def _segments(self, populations: Sequence[Population], total: Summary) -> tuple[Segment, ...]:
        """One for each stage that was reached, or each population; one where there is one level."""
        if populations:
            return tuple(
                _population(self, order, population)
                for order, population in enumerate(populations, start=1)
            )
        levels = [(total, self.done.window, self.load.level)]
        if self.load.stages:
            windows = stage_windows(self.load, self.done)
            levels = list(zip(self.stages, windows, self.load.stages, strict=False))
        return tuple(_segment(self, total, window, int(level)) for total, window, level in levels)

    @property
    def _pauses(self) -> tuple[Window, ...]:
        """What lies between the windows of stages: each settles before it is measured."""
        windows = stage_windows(self.load, self.done)
        return tuple((before[1], after[0]) for before, after in pairwise(windows))

    def _requests(
        self, name: str, scope: str, window: Window, without: Sequence[Window], stages: slice
    ) -> Summary:
        """In a window, with the arrivals that were due in the windows of these stages."""
        examples: dict[int, str] = {}
        for entry in self.names:
            if entry.scope in UNITS[self.unit]:
                examples = {**entry.examples, **examples}
        made = summary.summarise(
            self.requests,
            name=name,
            scope=scope,
            window=window,
            pauses=without,
            examples=examples,
            waits=self.load.is_open,
        )
        if self.at_once and not without:
            made = replace(made, queued=signs.queued(self.requests, window, self.at_once))
        if self.unit == REQUEST and self.whole and not without:
            made = replace(made, patterns=self._patterns(window))
        if self.load.is_open:
            arrivals = summary.arrivals(
                self.journeys,
                window=window,
                pauses=without,
                sent=sum(self.done.sent[stages]),
                dropped=sum(self.done.dropped[stages]),
            )
            made = replace(made, arrivals=arrivals)
        resent = int(inside(self.of(scopes.RESENT)["intended_start"], window, without).sum())
        return replace(made, resent=resent)

    def _patterns(self, window: Window) -> tuple[Pattern, ...]:
        """What slow answers of a window have in common. Users who think meet the same others again
        and again: where these hold one of them up, no connection does.
        """
        load, requests = self.load, self.requests
        right = requests[requests["kind"] == Kind.OK]
        if load.stages:
            right = right[right["intended_start"] >= window[0]]
        journeys = self.journeys
        journeys = journeys[inside(journeys["intended_start"], window, ())]
        users = 1 if load.is_open else len(np.unique(journeys["user"]))
        return patterns(
            right,
            window,
            cycle_s=users * (window[1] - window[0]) / max(len(journeys), 1),
            keeps=self.alike and load.keep_alive and not load.think_time_s,
        )

    def websockets(
        self, readings: Sequence[Reading], *, reads_memory: bool, storm_s: float | None
    ) -> WebSockets | None:
        """None when no WebSocket was asked for. `readings` are in seconds since the begin of the
        load, and so is `storm_s`, when all connections were cut.
        """
        handshakes, origin = self.of(scopes.HANDSHAKE), self.done.origin
        if not len(handshakes):
            return None
        known = memory(readings, TARGET, (-inf, inf))
        return WebSockets(
            accounts=self.accounts,
            connections=max((count for _, count in self.done.connections), default=None),
            rate_connected=self.rate_connected,
            idle=self._idle_memory(known) if reads_memory else None,
            closed=self._left_behind(known) if storm_s is None else None,
            recovery=None if storm_s is None else messages.recovery(handshakes, origin + storm_s),
            compression=self.done.traffic,
        )

    def _left_behind(self, known: Sequence[tuple[float, int]]) -> IdleMemory | None:
        """Memory over the connections made until then, where they are all closed again."""
        if self.unit != scopes.HANDSHAKE:
            return None
        shakes = self.of(scopes.HANDSHAKE)
        made = np.sort(shakes["finish"][shakes["kind"] == Kind.OK]) - self.done.origin
        begin, end = (moment - self.done.origin for moment in self.done.window)
        steps = [
            (int(np.searchsorted(made, second)), size)
            for second, size in known
            if begin <= second <= end
        ]
        return _memory(steps) if slope(steps) else None

    def _idle_memory(self, known: Sequence[tuple[float, int]]) -> IdleMemory | None:
        """Open connections and the target's memory in each stage's window."""
        steps: list[tuple[int, int]] = []
        for begin, end in stage_windows(self.load, self.done):
            held = [count for moment, count in self.done.connections if begin < moment <= end]
            taken = [size for second, size in known if begin < second + self.done.origin <= end]
            if held and taken:
                steps.append((round(median(held)), round(median(taken))))
        before = [size for second, size in known if second <= 0]
        return _memory(steps, before[-1] if before else None) if steps else None


def counted(samples: Samples, names: Sequence[NameEntry]) -> Counts:
    pairs = np.bincount(samples["name"].astype(np.int64) * KINDS + samples["kind"])
    return {
        (names[index].name, names[index].scope, kind): int(pairs[index * KINDS + kind])
        for index, kind in (divmod(pair, KINDS) for pair in np.flatnonzero(pairs).tolist())
    }


def _population(figures: Figures, order: int, population: Population) -> Segment:
    """What is told of these users alone, who are numbered anew."""
    theirs = figures.samples[np.isin(figures.samples["user"], population.users)]
    theirs["user"] = np.searchsorted(population.users, theirs["user"])
    own = replace(figures, samples=theirs, unit=population.unit)
    count = len(population.users)
    name = f"{count} user{'s' * (count > 1)} of {population.name}"
    total = replace(own.total, name=name, scope=scopes.POPULATION, order=order)
    return _segment(replace(own, alike=True), total, own.done.window, count)


def _segment(figures: Figures, total: Summary, window: Window, level: int) -> Segment:
    """At a rate, or with so many users."""
    at_once, requests = figures.at_once, figures.requests
    begin, end = window
    segment = Segment(
        unit=figures.unit, total=total, window=window, in_vain=signs.in_vain(requests, window)
    )
    if figures.load.is_open:
        segment.arrived_per_s = total.requests / (end - begin)
        segment.under_way = summary.concurrency(requests, window=window, since="intended_start")
        if at_once:
            segment.slots_busy_percent = signs.slots_busy_percent(requests, window, at_once)
    elif figures.alike:
        pauses = figures.of(scopes.PAUSE)
        pauses = pauses[pauses["user"] < level]
        ends = np.count_nonzero((begin <= pauses["finish"]) & (pauses["finish"] < end))
        segment.wakes_per_s = float(ends) / (end - begin)
        # of a run that was stopped it is not known who then waited
        if not figures.done.stopped and len(figures.journeys):
            pausing = summary.concurrency(pauses, window=window)
            segment.waiting_users = level - pausing - figures.connecting(window)
        segment.answers_by_user = signs.answers_by_user(requests, window, level)
    return segment


def added(
    parts: Sequence[LoadFigures], *, done: Done, load: LoadProfile, alike: bool
) -> LoadFigures:
    """Of those of a load's parts over the same windows; raises LoadError for no histograms."""
    try:
        whole: LoadFigures = summary.added(parts)
    except ValueError as error:
        raise LoadError(f"The figures of load hosts can't be added up: {error}.") from error
    windows = stage_windows(load, done) if load.stages else (done.window,)
    segments = [
        replace(segment, window=window)
        for segment, window in zip(whole.segments, windows, strict=False)
    ]
    for segment in segments:
        if not alike:
            segment.waiting_users, segment.answers_by_user = None, ()
        elif segment.waiting_users is not None:
            # each part took all users for its own, of whom it saw some pause
            segment.waiting_users -= (len(parts) - 1) * len(segment.answers_by_user)
    users = () if load.is_open else done.users
    intervals = summary.with_users(whole.intervals, users, done.origin)
    return replace(whole, intervals=tuple(intervals), segments=tuple(segments))


def _memory(steps: Sequence[tuple[int, int]], before_bytes: int | None = None) -> IdleMemory:
    idle = IdleMemory(steps=tuple(steps), before_bytes=before_bytes)
    if line := slope(steps):
        return replace(idle, each_bytes=line.value, low_bytes=line.low, high_bytes=line.high)
    return idle


def with_broadcasts(
    samples: Samples, names: Sequence[NameEntry], *, timeout_s: float = inf
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples and, of broadcasts, those of last subscribers, lost and overtaken deliveries."""
    for index, entry in enumerate(list(names)):
        if entry.scope == scopes.PUBLICATION:
            samples, names = _with_one(samples, names, index, timeout_s)
    return samples, names


def _with_one(
    samples: Samples, names: Sequence[NameEntry], index: int, timeout_s: float
) -> tuple[Samples, Sequence[NameEntry]]:
    path = names[index].name.partition(" ")[2]
    of = {one.scope: place for place, one in enumerate(names) if one.name == f"{one.scope} {path}"}
    if (message := of.get(scopes.MESSAGE)) is None:
        return samples, names
    took_s = samples["finish"] - samples["start"]
    samples = samples[(samples["name"] != message) | (took_s <= timeout_s)]
    sent = _named(samples, index)
    sent = sent[np.isin(sent["kind"], (Kind.OK, Kind.UNFINISHED))]
    got = _right(samples, message)
    whole, lost = messages.fan_out(
        sent,
        got,
        _right(samples, of.get(scopes.HANDSHAKE)),
        messages.ended_early(_named(samples, of.get(scopes.STRAY))),
        _named(samples, of.get(scopes.CLOSING)),
    )
    strays = got[messages.overtaken(sent, got)]
    strays["kind"], strays["start"] = Kind.REORDERED, strays["finish"]
    made = (
        (whole, f"last subscriber {path}", scopes.FANOUT, Kind.LOST, NEVER),
        (lost, names[message].name, scopes.MESSAGE, Kind.LOST, NEVER),
        (strays, f"stray {path}", scopes.STRAY, Kind.REORDERED, LATE),
    )
    parts: list[Part] = [(samples, [*names])]
    for theirs, name, scope, kind, words in made:
        theirs["name"] = 0
        parts.append((theirs, [NameEntry(name=name, scope=scope, examples={kind: words})]))
    return together(parts)


def _named(samples: Samples, index: int | None) -> Samples:
    return samples[:0] if index is None else samples[samples["name"] == index]


def _right(samples: Samples, index: int | None) -> Samples:
    named = _named(samples, index)
    right: Samples = named[named["kind"] == Kind.OK]
    return right
