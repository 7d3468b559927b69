"""Figures of the parts of a load add up to those of the whole, sent as plain values."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchsuite.core.plain import plain, read
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.load.job import Done, stage_windows
from benchsuite.load.parent.driver import DTYPE, NameEntry
from benchsuite.load.parent.figures import Figures, LoadFigures, added

SCOPES = ("request", "journey", "pause")
NAMES = [NameEntry(name=scope, scope=scope, examples={Kind.RESET: "gone"}) for scope in SCOPES]
LOADS = [
    LoadProfile(users=4, warmup_s=1.0, duration_s=4.0, think_time_s=0.1),
    LoadProfile(model="open", arrival_rate=300.0, warmup_s=1.0, duration_s=4.0),
    LoadProfile(model="open", stages=(100.0, 300.0), arrival_rate=300.0, duration_s=2.0),
    LoadProfile(stages=(2, 4), users=4, warmup_s=0.5, duration_s=2.0),
]


def a_load(load):
    """Of 3 000 requests with their journeys, and pauses, by 4 users."""
    draw = np.random.default_rng(1)
    samples = np.zeros(9000, DTYPE)
    samples["name"] = np.arange(9000) % 3
    samples["user"] = np.arange(9000) // 3 % 4
    begun = np.repeat(np.sort(draw.uniform(0, load.window_end_s + 0.2, 3000)), 3)
    samples["intended_start"] = 100.0 + begun
    samples["start"] = samples["intended_start"] + draw.exponential(0.001, 9000)
    samples["finish"] = samples["start"] + draw.lognormal(-4, 1, 9000)
    samples["kind"] = np.where(draw.random(9000) < 0.02, Kind.RESET, Kind.OK)
    samples["body_bytes"] = 7
    levels = len(load.levels)
    done = Done(
        origin=100.0,
        window=(100.0 + load.window_start_s, 100.0 + load.window_end_s),
        stopped=False,
        users=((101.0, 4),),
        cpu_percent=None,
        lag_p99_s=None,
        sent=(40,) * levels if load.is_open else (),
        dropped=(4,) * levels if load.is_open else (),
    )
    return Figures(samples, NAMES, done, load, alike=True)


def parts_of(figures, count):
    """As load hosts have them: each some users, and its share of what was counted."""
    ours = figures.done
    for part in range(count):
        done = replace(
            ours,
            sent=tuple(number // count for number in ours.sent),
            dropped=tuple(number // count for number in ours.dropped),
        )
        samples = figures.samples[figures.samples["user"] % count == part]
        own = replace(figures, samples=samples, done=done, whole=False)
        yield read(LoadFigures, json.loads(json.dumps(plain(own.together()))))


def same(value):
    """Without what only all samples show, and rounded as sums of other orders differ."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        left_out = {"patterns", "slots", "slots_busy_percent"}
        return {name: same(entry) for name, entry in value.items() if name not in left_out}
    return [same(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_parts_add_up_to_the_figures_of_all_samples(load, count):
    whole = a_load(load)
    parts = list(parts_of(whole, count))
    sum_of_parts = added(parts, done=whole.done, load=load, alike=True)
    assert same(plain(sum_of_parts)) == same(plain(whole.together()))
    assert sum_of_parts.total.requests > 800
    assert len(sum_of_parts.segments) == len(stage_windows(load, whole.done))
