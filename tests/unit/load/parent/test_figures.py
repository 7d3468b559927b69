"""Figures of the parts of a load add up to those of the whole, sent as plain values."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from benchsuite.core.exceptions import LoadError
from benchsuite.core.plain import plain, read
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.load.parent.driver import NameEntry
from benchsuite.load.parent.figures import LoadFigures, added, with_broadcasts
from benchsuite.stats.summary import DTYPE
from tests.unit.runner.test_figures import figures, steady

LOADS = [
    LoadProfile(users=4, warmup_s=1.0, duration_s=4.0),
    LoadProfile(model="open", arrival_rate=300.0, warmup_s=1.0, duration_s=4.0),
    LoadProfile(model="open", stages=(100.0, 300.0), arrival_rate=300.0, duration_s=2.0),
    LoadProfile(stages=(2, 4), users=4, warmup_s=0.5, duration_s=2.0),
]


def a_load(load):
    takes = {user: 0.005 + 0.0013 * user for user in range(4)}
    rows = (steady(user, 0.0, load.window_end_s, takes_s) for user, takes_s in takes.items())
    whole = figures(load, *chain.from_iterable(rows))
    whole.samples["finish"] -= np.random.default_rng(1).uniform(0, 0.004, len(whole.samples))
    whole.samples["kind"][::41] = Kind.RESET
    return whole


def parts_of(whole, count):
    """As load hosts have them: each some users."""
    for part in range(count):
        samples = whole.samples[whole.samples["user"] % count == part]
        own = replace(whole, samples=samples, whole=False).together()
        yield read(LoadFigures, json.loads(json.dumps(plain(own))))


def same(value):
    """Without what only all samples show, and rounded as sums of other orders differ."""
    if isinstance(value, dict):
        left_out = {"patterns", "slots", "slots_busy_percent"}
        return {name: same(entry) for name, entry in value.items() if name not in left_out}
    if isinstance(value, list):
        return sorted(map(same, value), key=str)
    return float(f"{value:.9g}") if isinstance(value, float) else value


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_parts_add_up_to_the_figures_of_all_samples(load, count):
    whole = a_load(load)
    of_parts = added(list(parts_of(whole, count)), done=whole.done, load=load, alike=True)
    assert same(plain(of_parts)) == same(plain(whole.together()))
    assert of_parts.total.requests > of_parts.total.failures > 20


def test_a_histogram_that_is_none_is_told():
    whole = a_load(LOADS[0])
    (part,) = parts_of(whole, 1)
    times = replace(part.total.response_time, histogram="no histogram")
    odd = replace(part, total=replace(part.total, response_time=times))
    with pytest.raises(LoadError, match="of load hosts can't be added up"):
        added([part, odd], done=whole.done, load=LOADS[0], alike=True)


def test_a_ping_is_no_delivery():
    scopes = {"handshake": "handshake", "message": "message", "publication": "publication"}
    scopes["ping"] = "message"
    names = [NameEntry(name=f"{one} /ws", scope=scopes[one], examples={}) for one in scopes]
    samples = np.zeros(4, DTYPE)
    samples["name"] = range(4)
    samples["start"], samples["finish"] = [0, 2, 2, 3], [1, 2.5, 2.1, 3.1]
    samples, _ = with_broadcasts(samples, names)
    assert not (samples["kind"] == Kind.LOST).any()
