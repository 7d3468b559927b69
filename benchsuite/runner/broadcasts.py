"""From the samples of subscribers to those of broadcasts: who got what, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.samples import CLOSING, FANOUT, HANDSHAKE, MESSAGE, PUBLICATION, STRAY, Kind
from benchsuite.load.parent.spool import NameEntry, Samples
from benchsuite.stats.broadcasts import HEALTHY, SLOW, fan_out, overtaken, slow_users
from benchsuite.stats.messages import ended_early

NEVER = "a subscriber did not get it within the time-out"
LATE = "came after one that was published later"


def with_broadcasts(
    samples: Samples, names: Sequence[NameEntry], *, timeout_s: float = inf
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples and, where something was broadcast, those of its last subscribers, of deliveries
    that never were or came after `timeout_s`, and of those that were overtaken.
    """
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
    return _in_classes(samples, entries, of[MESSAGE], slow_users(got, lost))


def _entered(entries: list[NameEntry], name: str, scope: str, examples: Mapping[Kind, str]) -> int:
    """The number of a name that is there already, or now."""
    for place, one in enumerate(entries):
        if (one.name, one.scope) == (name, scope):
            entries[place] = replace(one, examples={**examples, **one.examples})
            return place
    entries.append(NameEntry(name=name, scope=scope, examples=dict(examples)))
    return len(entries) - 1


def _in_classes(
    samples: Samples, entries: list[NameEntry], index: int, slow: NDArray[np.uint32]
) -> tuple[Samples, Sequence[NameEntry]]:
    """Messages of slow subscribers by a name of their own, where there are any."""
    if len(slow):
        theirs = (samples["name"] == index) & np.isin(samples["user"], slow)
        healthy = entries[index]
        samples["name"][theirs] = len(entries)
        entries[index] = replace(healthy, name=healthy.name + HEALTHY)
        entries.append(replace(healthy, name=healthy.name + SLOW))
    return samples, entries


def _named(samples: Samples, index: int | None) -> Samples:
    return samples[:0] if index is None else samples[samples["name"] == index]


def _right(samples: Samples, index: int | None) -> Samples:
    named = _named(samples, index)
    right: Samples = named[named["kind"] == Kind.OK]
    return right
