"""Whether slow answers have something in common: a period, a process or a connection."""

from collections.abc import Iterator
from dataclasses import replace
from math import comb, exp, lgamma, log, pi
from operator import attrgetter, itemgetter

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.results import Common, Pattern
from benchsuite.stats.distributions import at_least
from benchsuite.stats.summary import Samples, Window, samples_needed

SURE = 0.001  #: At most so often chance alone makes a pattern, of all that are tried.
LOWER = 0.8  #: Without its answers, the percentile that it limits is at most this share of itself.
LONGEST = 100.0
PERCENTILES = (99.0, 99.9, 95.0, LONGEST)  #: Which one that is: the first that falls so much.
FEWEST = samples_needed(95)  #: Answers.
TAILS = (0.05, 0.01, 0.001)  #: Shares of the answers that are looked at as slow ones.
HEAVIEST = (0.5, 0.25)  #: Of the delay by the longest episode but one: shorter ones don't count.
EPISODES = (4, 300)  #: The fewest that show a period, and the most that are looked at.
OCCUPIED = 0.75  #: Of the turns of a period, that must have an episode.
SHARP = 0.1  #: Of its period, by which episodes may lie off (root mean square).
OWN_S, OWN_LENGTH_S = 1.0, 0.05  #: Each second, or few: so short pauses may be our own work's.
PAUSED = 1 / 3  #: Of a period, that a pause takes at most: what is longer, chance spaces evenly.
CYCLES = 3  #: Of users or arrivals: what comes as often may be the load's own period.
TIMES = 2.0  #: Slow are answers of a group that take so many times as long as those around them.
AROUND = 12  #: Answers before and after one, whose lower quartile is what those around it take.
HALF = 0.5  #: Of such answers, that the slow groups must have; of groups, that they may be at most.
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def patterns(right: Samples, window: Window, *, cycle_s: float, keeps: bool) -> tuple[Pattern, ...]:
    """Of right answers, those that explain a high percentile of a window. A period is looked for in
    those from before it, too, as a short window has few of its turns.

    `cycle_s` is after what time the load itself comes back to the same; `keeps`: a user is a
    connection. Where a process is slow its connections are not told.
    """
    right = right[right["intended_start"] < window[1]]
    right = right[np.argsort(right["finish"], kind="stable")]
    inside = right[right["intended_start"] >= window[0]]
    if len(inside) < FEWEST:
        return ()
    seen: list[Pattern] = []
    if inside["process"].all():
        seen += _grouped(inside, inside["process"], Common.PROCESS)
    if keeps and not seen:
        seen += _grouped(inside, inside["user"], Common.CONNECTION)
    periods = [*_periodic(right, window, cycle_s), *_periodic(inside, window, cycle_s)]
    return (*seen, *sorted(periods, key=attrgetter("share"))[-1:])


def _times(right: Samples) -> tuple[Floats, Floats]:
    """How long each takes, and by how much longer than the median answer of its name."""
    times = right["finish"] - right["intended_start"]
    excess = times.copy()
    for name in np.unique(right["name"]):
        own = right["name"] == name
        excess[own] -= np.median(times[own])
    return times, excess


def _limited(times: Floats, explained: Flags, common: Common) -> Pattern | None:
    """What a percentile would be without some answers; None where none would be much less."""
    rest = times[~explained]
    for percent in PERCENTILES:
        if percent == LONGEST or len(rest) >= samples_needed(percent):
            at_s, without_s = (float(np.percentile(one, percent)) for one in (times, rest))
            if without_s <= LOWER * at_s:
                return Pattern(
                    common=common,
                    share=float(explained.mean()),
                    percent=percent,
                    at_s=at_s,
                    without_s=without_s,
                )
    return None


def _periodic(right: Samples, window: Window, cycle_s: float) -> Iterator[Pattern]:
    """Slow answers come in episodes; those that delay most must lie on a grid of equal turns."""
    times, excess = _times(right)
    inside = right["intended_start"] >= window[0]
    for tail in TAILS:
        slow = excess > np.quantile(excess, 1 - tail)
        numbers = _episodes(right[slow], float(np.median(times)))
        count = int(numbers.max(initial=-1)) + 1
        if not EPISODES[0] <= count <= EPISODES[1]:
            continue
        longest, first = np.zeros(count), np.full(count, np.inf)
        np.maximum.at(longest, numbers, excess[slow])
        long = excess[slow] >= HEAVIEST[0] * longest[numbers]
        np.minimum.at(first, numbers[long], right["finish"][slow][long])
        for share in HEAVIEST:
            heavy = longest >= share * np.sort(longest)[-2]
            turns, chance = _turns(first[heavy])
            tried = 2 * len(TAILS) * len(HEAVIEST)
            period_s = float(np.ptp(first[heavy])) / max(turns, 1)
            if not turns or chance * tried > SURE or period_s < CYCLES * cycle_s:
                continue
            length_s = float(np.median(longest[heavy]))
            off_s = abs(period_s - round(period_s / OWN_S) * OWN_S)
            is_own = length_s < OWN_LENGTH_S and off_s < OWN_S / 50
            if is_own or length_s > PAUSED * period_s:
                continue
            explained = np.zeros(len(right), bool)
            explained[slow] = heavy[numbers]
            if pattern := _limited(times[inside], explained[inside], Common.PERIOD):
                yield replace(pattern, period_s=period_s, length_s=length_s)


def _episodes(slow: Samples, apart_s: float) -> NDArray[np.intp]:
    """For each answer the number of its episode: those that overlap, or almost, are one."""
    order = np.argsort(slow["start"], kind="stable")
    ends = np.maximum.accumulate(slow["finish"][order])
    begins = slow["start"][order][1:] > ends[:-1] + apart_s
    numbers = np.zeros(len(slow), np.intp)
    numbers[order[1:]] = np.cumsum(begins)
    return numbers


def _turns(moments: Floats) -> tuple[int, float]:
    """How many turns of a period lie between the first and the last of these moments, and how often
    chance alone lays as many as near to a grid; 0 turns where they lie on none.

    The moments between them are then anywhere: that they lie no farther from the grid, root sum
    square, is the volume of a ball (in the simplex of ordered moments) for each choice of points.
    """
    inner, best = len(moments) - 2, (0, 1.0)
    places = (moments - moments.min()) / np.ptp(moments)
    tried = range(inner + 1, int((inner + 1) / OCCUPIED) + 1)
    for turns in tried if len(moments) >= EPISODES[0] else ():
        nearest = np.round(places * turns)
        off = float(np.linalg.norm(places - nearest / turns))
        if len(np.unique(nearest)) == len(moments) and off * turns <= SHARP * inner**0.5:
            ball = inner / 2 * log(pi) - lgamma(inner / 2 + 1) + inner * log(max(off, 1e-12))
            chance = comb(turns - 1, inner) * exp(min(0.0, ball + lgamma(inner + 1)))
            best = min(best, (turns, chance * len(tried)), key=itemgetter(1))
    return best


def _grouped(right: Samples, of: NDArray[np.integer], common: Common) -> Iterator[Pattern]:
    """Answers that are slow beside those around them, as no burst or pause makes them, must belong
    to few groups: each of these has more of them than chance gives (binomial test).
    """
    times, excess = _times(right)
    slow = excess > np.quantile(excess, 1 - TAILS[0])
    places = np.flatnonzero(slow)
    around = np.arange(-AROUND, AROUND + 1)
    beside = np.clip(places[:, None] + around, 0, len(right) - 1)
    slow[places] = times[places] > TIMES * np.quantile(times[beside], 0.25, axis=1)
    names, numbers, counts = np.unique(of, return_inverse=True, return_counts=True)
    if len(names) < 2 or not slow.any():
        return
    of_each = np.bincount(numbers, slow, len(names))
    share = float(slow.mean())
    chances = [at_least(*group, share) for group in zip(of_each, counts, strict=True)]
    few = np.array(chances) * len(names) < SURE
    explained = few[numbers]
    if not few.any() or few.mean() > HALF or slow[explained].sum() < HALF * slow.sum():
        return
    if pattern := _limited(times, explained, common):
        yield replace(pattern, slow=int(few.sum()), groups=len(names))
