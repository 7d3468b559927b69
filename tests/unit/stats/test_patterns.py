"""Slow answers with something in common are named, and sound loads with long tails are not."""

import heapq
from functools import partial

import numpy as np
import pytest

from benchsuite.core.results import Common, Pattern
from benchsuite.stats.patterns import patterns
from benchsuite.stats.summary import DTYPE

WINDOW = (2.0, 12.0)


def steady(draw, who):
    return float(draw.gamma(10, 0.001))


def pareto(draw, who):
    return float(0.002 + 0.005 * draw.pareto(1.5))


def lognormal(draw, who):
    return float(draw.lognormal(-4.6, 1))


def nagle(draw, who):
    return steady(draw, who) + 0.04 * bool(draw.random() < 0.5)


def samples(rows):
    """Of (user, process, meant, finish)."""
    found = np.zeros(len(rows), DTYPE)
    found["user"], found["process"], found["intended_start"], found["finish"] = np.array(rows).T
    found["start"] = found["intended_start"]
    return found


def finished(begin, work_s, stalls):
    """When work ends that rests in all stalls."""
    for stall, end in stalls:
        if begin + work_s > stall and begin < end:
            work_s -= max(0.0, stall - begin)
            begin = end
    return begin + work_s


def closed(draw, service=steady, *, users=4, stalls=()):
    rows = []
    for user in range(users):
        begin = float(draw.uniform(0, 0.01))
        while begin < WINDOW[1]:
            end = finished(begin, service(draw, user), stalls)
            rows.append((user, 1 + user % 4, begin, end))
            begin = end
    return samples(rows)


def opened(
    draw,
    service=lambda draw, who: float(draw.exponential(0.01)),
    *,
    rate,
    servers=1,
    stalls=(),
):
    """Poisson arrivals, each on the connection that was free last, by any of four processes."""
    rows, free, idle, busy = [], [0.0] * servers, [*range(64)], list[tuple[float, int]]()
    for due in np.sort(draw.uniform(0, WINDOW[1], draw.poisson(rate * WINDOW[1]))).tolist():
        while busy and busy[0][0] <= due:
            idle.append(heapq.heappop(busy)[1])
        process = int(draw.integers(4))
        end = finished(max(due, heapq.heappop(free)), service(draw, process), stalls)
        heapq.heappush(free, end)
        connection = idle.pop() if idle else 64
        heapq.heappush(busy, (end, connection))
        rows.append((connection, 1 + process, due, end))
    return samples(rows)


def every(period_s, length_s):
    return [(at, at + length_s) for at in np.arange(0.7, WINDOW[1], period_s).tolist()]


def by_chance(draw):
    return [(at, at + 0.15) for at in np.sort(draw.uniform(0, WINDOW[1], 6)).tolist()]


def slow(of, by_s, share=1.0):
    return lambda draw, who: steady(draw, who) + by_s * (who in of and draw.random() < share)


DRAWN = 20


@pytest.mark.parametrize(
    ("turns", "drawn", "least"),
    [
        ((2.0, 0.15), closed, 19),
        ((3.0, 0.3), closed, 19),
        ((2.0, 0.15), partial(closed, users=16), 19),
        ((2.0, 0.15), partial(opened, rate=60, servers=8), 17),
        ((3.0, 0.3), partial(opened, rate=60, servers=8), 17),
        ((2.0, 0.15), partial(opened, rate=20, servers=8), 14),
    ],
)
def test_pauses_in_equal_turns_are_periodic(turns, drawn, least):
    stalls, found = every(*turns), list[Pattern]()
    for seed in range(DRAWN):
        made = drawn(np.random.default_rng(seed), stalls=stalls)
        found += patterns(made, WINDOW, cycle_s=0.02, keeps=True)
    assert {one.common for one in found} == {Common.PERIOD}
    assert len(found) >= least
    assert all(one.period_s == pytest.approx(turns[0], rel=0.03) for one in found)
    assert np.median([one.length_s or 0 for one in found]) == pytest.approx(turns[1], rel=0.2)


@pytest.mark.parametrize(
    ("common", "count", "keeps", "drawn"),
    [
        (Common.PROCESS, (1, 4), True, lambda draw: closed(draw, slow([0, 4], 0.05), users=8)),
        (
            Common.PROCESS,
            (1, 4),
            False,
            lambda draw: opened(draw, slow([2], 0.05), rate=60, servers=8),
        ),
        (Common.CONNECTION, (1, 4), True, lambda draw: closed(draw, slow([0], 0.03))),
        (Common.CONNECTION, (1, 4), True, lambda draw: closed(draw, slow([3], 0.05, 0.2))),
        (
            Common.CONNECTION,
            (4, 16),
            True,
            lambda draw: closed(draw, slow(range(4), 0.1), users=16),
        ),
    ],
)
def test_a_slow_process_or_connection_is_named(common, count, drawn, keeps):
    for seed in range(DRAWN):
        made = drawn(np.random.default_rng(seed))
        if common is Common.CONNECTION:
            made["process"] = 0  # as behind a proxy that takes headers away
        (found,) = patterns(made, WINDOW, cycle_s=0.02, keeps=keeps)
        assert (found.common, found.slow, found.groups) == (common, *count)
        assert found.without_s < 0.8 * found.at_s


@pytest.mark.parametrize(
    "drawn",
    [
        closed,
        lambda draw: closed(draw, users=1),
        lambda draw: closed(draw, pareto, users=8),
        lambda draw: closed(draw, lognormal, users=8),
        lambda draw: closed(draw, nagle),
        lambda draw: closed(draw, stalls=by_chance(draw)),
        lambda draw: opened(draw, rate=90),
        lambda draw: opened(draw, rate=360, servers=4),
        lambda draw: opened(draw, lognormal, rate=150, servers=4),
        lambda draw: opened(draw, pareto, rate=100, servers=64),
        lambda draw: opened(draw, rate=60, servers=8, stalls=by_chance(draw)),
    ],
)
def test_sound_loads_have_no_pattern(drawn):
    """Of 300 each of these kinds none was named (docs/bottlenecks.md)."""
    for seed in range(DRAWN):
        made = drawn(np.random.default_rng(seed))
        assert patterns(made, WINDOW, cycle_s=0.02, keeps=True) == ()


def test_values(golden):
    golden.values()
