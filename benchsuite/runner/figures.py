"""From the samples of a load to the figures of WebSockets, and to samples of broadcasts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from statistics import median

import numpy as np

from benchsuite.core.readings import memory
from benchsuite.core.results import IdleMemory, Reading, WebSockets
from benchsuite.core.samples import CLOSING, FANOUT, HANDSHAKE, MESSAGE, PUBLICATION, STRAY, Kind
from benchsuite.load.job import stage_windows
from benchsuite.load.parent.driver import NameEntry
from benchsuite.load.parent.figures import Figures
from benchsuite.runner.running_system import TARGET
from benchsuite.stats.messages import ended_early, fan_out, overtaken, recovery
from benchsuite.stats.steady import slope
from benchsuite.stats.summary import Samples

NEVER = "a subscriber did not get it within the time-out"
LATE = "came after one that was published later"
ALWAYS = (-inf, inf)


def websockets(
    figures: Figures,
    readings: Sequence[Reading],
    *,
    begin_s: float,
    reads_memory: bool = False,
    storm_s: float | None = None,
) -> WebSockets | None:
    """None when no WebSocket was asked for. `readings` are in seconds since `begin_s`, a moment of
    the monotonic clock. All connections were cut at `storm_s`.
    """
    handshakes = figures.of(HANDSHAKE)
    if not len(handshakes):
        return None
    return WebSockets(
        accounts=figures.accounts,
        connections=max((count for _, count in figures.done.connections), default=None),
        rate_connected=figures.rate_connected,
        idle=_idle_memory(figures, readings, begin_s) if reads_memory else None,
        closed=_left_behind(figures, readings, begin_s) if storm_s is None else None,
        recovery=None if storm_s is None else recovery(handshakes, begin_s + storm_s),
        compression=figures.done.traffic,
    )


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
    return _memory(steps) if slope(steps) else None


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
    before = [size for second, size in known if second <= 0]
    return _memory(steps, before[-1] if before else None) if steps else None


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
    strays["kind"], strays["start"] = Kind.REORDERED, strays["finish"]
    lost["name"] = _entered(entries, entries[of[MESSAGE]].name, MESSAGE, {Kind.LOST: NEVER})
    return np.concatenate([samples, whole, lost, strays]), entries


def _entered(entries: list[NameEntry], name: str, scope: str, examples: Mapping[int, str]) -> int:
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
