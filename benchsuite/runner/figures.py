"""From the samples of a load to its figures: of requests, names and levels, and of WebSockets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median

import numpy as np

from benchsuite.core.observations import Segment, UnderWay
from benchsuite.core.readings import memory
from benchsuite.core.results import (
    Accounts,
    IdleMemory,
    Interval,
    Lagging,
    Pattern,
    Reading,
    Summary,
    WebSockets,
)
from benchsuite.core.samples import (
    ASIDE,
    CLOSING,
    CONNECTION,
    EVENT,
    FANOUT,
    HANDSHAKE,
    JOURNEY,
    MESSAGE,
    PAUSE,
    POPULATION,
    PUBLICATION,
    REQUEST,
    RESENT,
    RESTARTED,
    STRAY,
    UNITS,
    UNSOLICITED,
    Kind,
)
from benchsuite.core.specs import REDIS, USER, LoadProfile
from benchsuite.load.job import Done, pauses, stage_windows
from benchsuite.load.parent.driver import NameEntry, Samples
from benchsuite.runner.running_system import TARGET
from benchsuite.stats import messages, signs, summary
from benchsuite.stats.messages import (
    HEALTHY,
    SLOW,
    ended_early,
    fan_out,
    overtaken,
    recovery,
    restarted,
    slow_users,
)
from benchsuite.stats.patterns import patterns
from benchsuite.stats.steady import slope
from benchsuite.stats.summary import inside
from benchsuite.workloads.base import Population

Window = tuple[float, float]
ALWAYS = (-inf, inf)
TINY_S = 1e-6  #: A window ends before its end; this much after its last sample that one is inside.


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one load."""

    samples: Samples
    names: Sequence[NameEntry]
    done: Done
    load: LoadProfile
    unit: str = REQUEST  #: What the figures are of: requests, messages, handshakes or events.
    at_once: int | None = None  #: Requests that the target answers at once, if limited.
    alike: bool = False  #: Whether all users do the same.

    @property
    def requests(self) -> Samples:
        """What the figures are of."""
        return self.of(*UNITS[self.unit])

    @property
    def journeys(self) -> Samples:
        return self.of(JOURNEY)

    def of(self, *scopes: str) -> Samples:
        """The samples of these scopes."""
        indexes = [index for index, name in enumerate(self.names) if name.scope in scopes]
        return self.samples[np.isin(self.samples["name"], indexes)]

    def connecting(self, window: Window, pauses: Sequence[Window] = ()) -> float:
        """Mean users that were making or closing connections, where figures are not of these."""
        beside = {HANDSHAKE, CLOSING} - set(UNITS[self.unit])
        return summary.concurrency(self.of(*beside), window=window, pauses=pauses)

    @property
    def rate_connected(self) -> float | None:
        """Messages per second if no time of the users went into handshakes and closings."""
        total = self.total
        if not total.goodput or not total.concurrency or self.unit != MESSAGE:
            return None
        connecting = self.connecting(self.done.window, self._pauses)
        return total.goodput * (total.concurrency + connecting) / total.concurrency

    @property
    def accounts(self) -> Accounts:
        """What became of all messages and connections."""
        scopes = (MESSAGE, STRAY, UNSOLICITED, HANDSHAKE, CONNECTION)
        by_scope = {scope: self.of(scope) for scope in scopes}
        by_scope[MESSAGE] = self.of(MESSAGE, EVENT)
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
                strays=self.of(STRAY) if self.done.connections else None,
            )
        )

    @property
    def total(self) -> Summary:
        """Of all requests over the window, or over the windows of all stages together."""
        total = self._requests(f"all {self.unit}s", "all", self.done.window, self._pauses)
        count = len(stage_windows(self.load, self.done))
        return self._with_arrivals(total, self.done.window, self._pauses, range(count))

    @property
    def by_name(self) -> Iterator[Summary]:
        for index, name in enumerate(self.names):
            if name.scope in ASIDE:
                continue
            samples = self.samples[self.samples["name"] == index]
            window, pauses = self.done.window, self._pauses
            if name.scope == HANDSHAKE and len(samples) and self.unit != HANDSHAKE:
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
            of_stage = self._requests(self.load.level_words(level, who), "stage", window, ())
            with_arrivals = self._with_arrivals(of_stage, window, (), range(index, index + 1))
            yield replace(with_arrivals, level=level, order=index + 1)

    @property
    def _pauses(self) -> tuple[Window, ...]:
        return pauses(stage_windows(self.load, self.done))

    def _requests(
        self, name: str, scope: str, window: Window, without: Sequence[Window]
    ) -> Summary:
        examples: dict[Kind, str] = {}
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
        resent = int(inside(self.of(RESENT)["intended_start"], window, without).sum())
        queued = None
        if self.at_once and not without:
            queued = signs.queued(self.requests, window, self.at_once)
        if self.unit == REQUEST and not without:
            made = replace(made, patterns=self._patterns(window))
        return replace(made, resent=resent, queued=queued)

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

    def _with_arrivals(
        self, figures: Summary, window: Window, without: Sequence[Window], stages: range
    ) -> Summary:
        if not self.load.is_open:
            return figures
        arrivals = summary.arrivals(
            self.journeys,
            window=window,
            pauses=without,
            sent=sum(self.done.sent[stage] for stage in stages),
            dropped=sum(self.done.dropped[stage] for stage in stages),
        )
        return replace(figures, arrivals=arrivals)


def segments(figures: Figures, populations: Sequence[Population] = ()) -> tuple[Segment, ...]:
    """One for each stage that was reached, or each population; one where there is one level."""
    load, done = figures.load, figures.done
    if populations:
        return tuple(_population(figures, *one) for one in enumerate(populations, start=1))
    if load.stages:
        spans = list(zip(figures.stages, stage_windows(load, done), load.stages, strict=False))
    else:
        spans = [(figures.total, done.window, load.level)]
    of_level = _open if load.is_open else _closed
    return tuple(of_level(figures, total, window, int(level)) for total, window, level in spans)


def _population(figures: Figures, order: int, population: Population) -> Segment:
    """What is told of these users alone, who are numbered anew."""
    theirs = figures.samples[np.isin(figures.samples["user"], population.users)]
    theirs["user"] = np.searchsorted(population.users, theirs["user"])
    own = replace(figures, samples=theirs, unit=population.unit)
    count = len(population.users)
    name = f"{count} user{'s' * (count > 1)} of {population.name}"
    total = replace(own.total, name=name, scope=POPULATION, order=order)
    return _closed(replace(own, alike=True), total, own.done.window, count)


def _open(figures: Figures, total: Summary, window: Window, rate: int) -> Segment:
    at_once, requests = figures.at_once, figures.requests
    keeps = figures.load.keep_alive and figures.alike
    return Segment(
        unit=figures.unit,
        total=total,
        window=window,
        in_vain=signs.in_vain(requests, window),
        under_way=UnderWay(
            arrived_per_s=total.requests / (window[1] - window[0]),
            mean=summary.concurrency(requests, window=window, since="intended_start"),
            slots_busy_percent=at_once and signs.slots_busy_percent(requests, window, at_once),
        ),
        slots=signs.slots(figures.journeys, window) if keeps else None,
    )


def _closed(figures: Figures, total: Summary, window: Window, users: int) -> Segment:
    requests = figures.requests
    segment = Segment(
        unit=figures.unit, total=total, window=window, in_vain=signs.in_vain(requests, window)
    )
    if not figures.alike:
        return segment
    pauses = figures.of(PAUSE)
    pauses = pauses[pauses["user"] < users]
    begin, end = window
    ends = np.count_nonzero((begin <= pauses["finish"]) & (pauses["finish"] < end))
    segment.wakes_per_s = float(ends) / (end - begin)
    # of a run that was stopped it is not known who then waited
    if not figures.done.stopped and len(figures.journeys):
        pausing = summary.concurrency(pauses, window=window)
        segment.waiting_users = users - pausing - figures.connecting(window)
    segment.answers_by_user = signs.answers_by_user(requests, window, users)
    return segment


def without_restart(
    samples: Samples, names: Sequence[NameEntry], away: tuple[float, float] | None
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples with what failed, or ended, as the server was away, in scopes of their own."""
    if away is None:
        return samples, names
    samples, entries = samples.copy(), list(names)
    begun, ended = (inside(samples[edge], away, ()) for edge in ("start", "finish"))
    for place, entry in enumerate(names):
        if entry.scope not in RESTARTED:
            continue
        within = ended if entry.scope == CONNECTION else begun | ended
        failed = (samples["name"] == place) & (samples["kind"] != Kind.OK) & within
        if failed.any():
            samples["name"][failed] = len(entries)
            entries.append(replace(entry, scope=RESTARTED[entry.scope]))
    return samples, entries


def websockets(
    figures: Figures,
    readings: Sequence[Reading],
    *,
    begin_s: float,
    reads_memory: bool = False,
    storm_s: float | None = None,
    away: tuple[float, float] | None = None,
) -> WebSockets | None:
    """None when no WebSocket was asked for. `readings` are in seconds since `begin_s`, a moment of
    the monotonic clock. All connections were cut at `storm_s`, or while the server was `away`.
    """
    if not len(figures.of(HANDSHAKE)):
        return None
    cut = None  #: What is known of those that were cut, where they were.
    if away is not None:
        tried = figures.of(HANDSHAKE, RESTARTED[HANDSHAKE])
        cut = restarted(tried, figures.of(RESTARTED[CONNECTION]), away)
    elif storm_s is not None:
        cut = recovery(figures.of(HANDSHAKE), begin_s + storm_s)
    return WebSockets(
        accounts=figures.accounts,
        connections=max((count for _, count in figures.done.connections), default=None),
        rate_connected=figures.rate_connected,
        idle=_idle_memory(figures, readings, begin_s) if reads_memory else None,
        closed=_left_behind(figures, readings, begin_s) if storm_s is None else None,
        recovery=cut,
        lagging=_lagging(figures, readings, begin_s),
        compression=figures.done.traffic,
    )


def _lagging(figures: Figures, readings: Sequence[Reading], begin_s: float) -> Lagging | None:
    """None where no subscriber of a broadcast was slow."""
    slow = [place for place, one in enumerate(figures.names) if one.name.endswith(SLOW)]
    users = np.unique(figures.samples["user"][np.isin(figures.samples["name"], slow)])
    if not len(users):
        return None
    grown_bytes, end = {}, figures.done.window[1] - begin_s
    for part in (TARGET, REDIS):
        seen = [size for second, size in memory(readings, part, ALWAYS) if second <= end]
        if len(seen) > 1:
            grown_bytes[part] = max(seen) - seen[0]
    return Lagging(subscribers=len(users), grown_bytes=grown_bytes)


def _left_behind(
    figures: Figures, readings: Sequence[Reading], begin_s: float
) -> IdleMemory | None:
    """Memory over the connections made until then, where they are all closed again."""
    if figures.unit != HANDSHAKE:
        return None
    shakes = figures.of(HANDSHAKE)
    made = np.sort(shakes["finish"][shakes["kind"] == Kind.OK]) - begin_s
    begin, end = (moment - begin_s for moment in figures.done.window)
    steps = [
        (int(np.searchsorted(made, second)), size)
        for second, size in memory(readings, TARGET, ALWAYS)
        if begin <= second <= end
    ]
    line = slope(steps)
    if line is None:
        return None
    return IdleMemory(
        steps=tuple(steps), each_bytes=line.value, low_bytes=line.low, high_bytes=line.high
    )


def _idle_memory(
    figures: Figures, readings: Sequence[Reading], begin_s: float
) -> IdleMemory | None:
    """Open connections and the target's memory in each stage's window."""
    known = memory(readings, TARGET, ALWAYS)
    steps: list[tuple[int, int]] = []
    for begin, end in stage_windows(figures.load, figures.done):
        held = [count for moment, count in figures.done.connections if begin < moment <= end]
        taken = [size for second, size in known if begin < second + begin_s <= end]
        if held and taken:
            steps.append((round(median(held)), round(median(taken))))
    if not steps:
        return None
    line = slope(steps)
    before = [size for second, size in known if second <= 0]
    return IdleMemory(
        steps=tuple(steps),
        each_bytes=line.value if line else None,
        low_bytes=line.low if line else None,
        high_bytes=line.high if line else None,
        before_bytes=before[-1] if before else None,
    )


NEVER = "a subscriber did not get it within the time-out"
LATE = "came after one that was published later"


def with_broadcasts(
    samples: Samples, names: Sequence[NameEntry], *, timeout_s: float = inf
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples and, of broadcasts, those of last subscribers, lost and overtaken deliveries."""
    for index, entry in enumerate(list(names)):
        if entry.scope == PUBLICATION:
            samples, names = _with_one(samples, names, index, timeout_s)
    return samples, names


def _with_one(
    samples: Samples, names: Sequence[NameEntry], index: int, timeout_s: float
) -> tuple[Samples, Sequence[NameEntry]]:
    path = names[index].name.partition(" ")[2]
    of = {one.scope: place for place, one in enumerate(names) if one.name.endswith(f" {path}")}
    entries = list(names)
    if MESSAGE not in of:
        return samples, entries
    late = (samples["name"] == of[MESSAGE]) & (samples["finish"] - samples["start"] > timeout_s)
    samples = samples[~late]
    sent = _named(samples, index)
    sent = sent[np.isin(sent["kind"], (Kind.OK, Kind.UNFINISHED))]
    got = _right(samples, of[MESSAGE])
    whole, lost = fan_out(
        sent,
        got,
        _right(samples, of.get(HANDSHAKE)),
        ended_early(_named(samples, of.get(STRAY))),
        _named(samples, of.get(CLOSING)),
    )
    whole["name"] = _entered(entries, f"last subscriber {path}", FANOUT, {Kind.LOST: NEVER})
    strays = got[overtaken(sent, got)]
    strays["name"] = _entered(entries, f"stray {path}", STRAY, {Kind.REORDERED: LATE})
    strays["kind"] = Kind.REORDERED
    strays["start"] = strays["finish"]
    lost["name"] = _entered(entries, entries[of[MESSAGE]].name, MESSAGE, {Kind.LOST: NEVER})
    samples = np.concatenate([samples, whole, lost, strays])
    slow = slow_users(got, lost)
    if len(slow):  # their messages by a name of their own
        theirs = (samples["name"] == of[MESSAGE]) & np.isin(samples["user"], slow)
        healthy = entries[of[MESSAGE]]
        samples["name"][theirs] = len(entries)
        entries[of[MESSAGE]] = replace(healthy, name=healthy.name + HEALTHY)
        entries.append(replace(healthy, name=healthy.name + SLOW))
    return samples, entries


def _entered(entries: list[NameEntry], name: str, scope: str, examples: Mapping[Kind, str]) -> int:
    """The number of a name that is there already, or now."""
    for place, entry in enumerate(entries):
        if (entry.name, entry.scope) == (name, scope):
            entries[place] = replace(entry, examples={**examples, **entry.examples})
            return place
    entries.append(NameEntry(name=name, scope=scope, examples=dict(examples)))
    return len(entries) - 1


def _named(samples: Samples, index: int | None) -> Samples:
    return samples[:0] if index is None else samples[samples["name"] == index]


def _right(samples: Samples, index: int | None) -> Samples:
    named = _named(samples, index)
    right: Samples = named[named["kind"] == Kind.OK]
    return right
