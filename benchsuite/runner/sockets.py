"""From the samples of a load to what only WebSockets have."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from benchsuite.load.job import stage_windows
from benchsuite.load.spool import NameEntry, Samples
from benchsuite.results import IdleMemory, Reading, WebSockets
from benchsuite.runner.figures import Figures
from benchsuite.runner.serving import TARGET
from benchsuite.stats.fanout import fan_out
from benchsuite.stats.messages import ended_early
from benchsuite.stats.samples import FANOUT, HANDSHAKE, MESSAGE, PUBLICATION, STRAY, Kind
from benchsuite.stats.slope import slope


def with_fan_out(
    samples: Samples, names: Sequence[NameEntry]
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples and, where something was broadcast, those of its last subscribers, and of the
    deliveries that never were.
    """
    entries = list(names)
    more = [samples]
    for index, entry in enumerate(names):
        if entry.scope != PUBLICATION:
            continue
        path = entry.name.partition(" ")[2]
        of = {one.scope: place for place, one in enumerate(names) if one.name.endswith(f" {path}")}
        sent = samples[samples["name"] == index]
        whole, lost = fan_out(
            sent[np.isin(sent["kind"], (Kind.OK, Kind.UNFINISHED))],
            _right(samples, of.get(MESSAGE)),
            _right(samples, of.get(HANDSHAKE)),
            ended_early(_named(samples, of.get(STRAY))),
        )
        whole["name"] = len(entries)
        words = {Kind.LOST: "a subscriber never got it"}
        entries.append(NameEntry(name=f"last subscriber {path}", scope=FANOUT, examples=words))
        if MESSAGE in of:
            lost["name"] = of[MESSAGE]
            known = entries[of[MESSAGE]]
            entries[of[MESSAGE]] = replace(known, examples={**words, **known.examples})
            more.append(lost)
        more.append(whole)
    return np.concatenate(more), entries


def websockets(
    figures: Figures, readings: Sequence[Reading], *, begin_s: float
) -> WebSockets | None:
    """None when no WebSocket was ever asked for.

    `readings` are those of which memory per connection is to be told, in seconds since the load's
    begin, which is a moment of the monotonic clock.
    """
    accounts = figures.accounts
    if not accounts.handshakes:
        return None
    return WebSockets(
        accounts=accounts,
        connections=max((count for _, count in figures.done.connections), default=None),
        rate_connected=figures.rate_connected,
        idle=_idle_memory(figures, readings, begin_s),
    )


def _idle_memory(
    figures: Figures, readings: Sequence[Reading], begin_s: float
) -> IdleMemory | None:
    """Open connections and the target's memory in each stage's window."""
    memory = [
        (one.second, one.memory_bytes)
        for one in readings
        if one.part == TARGET and one.memory_bytes is not None
    ]
    steps: list[tuple[int, int]] = []
    for begin, end in stage_windows(figures.load, figures.done):
        held = [count for moment, count in figures.done.connections if begin < moment <= end]
        taken = [size for second, size in memory if begin < second + begin_s <= end]
        if held and taken:
            steps.append((round(median(held)), round(median(taken))))
    if not steps:
        return None
    line = slope(steps)
    before = [size for second, size in memory if second <= 0]
    return IdleMemory(
        steps=tuple(steps),
        each_bytes=line.value if line else None,
        low_bytes=line.low if line else None,
        high_bytes=line.high if line else None,
        before_bytes=before[-1] if before else None,
    )


def _named(samples: Samples, index: int | None) -> Samples:
    return samples[:0] if index is None else samples[samples["name"] == index]


def _right(samples: Samples, index: int | None) -> Samples:
    named = _named(samples, index)
    return named[named["kind"] == Kind.OK]
