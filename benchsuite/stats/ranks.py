"""Whether two samples differ, by ranks alone, and which candidates of a race can be given up early.

Candidates of a race are measured in blocks, each once a block. The figure of one in a block is a
logarithm; its difference to the leader within the block is free of what changes from block to
block. A candidate is given up when its mean difference is so large that chance would show it in no
more than ALPHA of races in which it is as good as the leader, over all looks and pairs together
(Bonferroni; any of them may lead by chance). That is a decision about time and no claim.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

FEWEST_STARTS = 5
"""Of each side. Three against three can never be significant: the least p there is 0.1."""

EXACT_UP_TO = 200
"""Starts a side up to which the exact distribution is computed; above, it takes seconds."""

PERMUTATIONS = 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTest:
    """The two-sided p of a test, and how it came about."""

    p: float
    method: str  #: "exact", "permutation" (there are ties) or "asymptotic" (very many starts).


def mann_whitney(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> RankTest:
    """The Mann–Whitney U test (Mann & Whitney 1947), by SciPy.

    Exact without ties. With ties the exact table doesn't hold; the same statistic is then referred
    to all ways of dealing the values to the two sides, or, where those are more than
    `PERMUTATIONS`, to that many random ones.
    """
    import numpy as np
    from scipy import stats

    a, b = sorted(first), sorted(second)
    how = "exact"
    method: Any = how
    if max(len(a), len(b)) > EXACT_UP_TO:
        how = method = "asymptotic"
    elif len({*a, *b}) < len(a) + len(b):
        how = "permutation"
        method = stats.PermutationMethod(n_resamples=PERMUTATIONS, rng=np.random.default_rng(seed))
    test = stats.mannwhitneyu(a, b, alternative="two-sided", method=method)
    return RankTest(p=min(1.0, float(test.pvalue)), method=how)


def holm(values: Sequence[float]) -> list[float]:
    """p values of several tests, corrected so that the chance of any false one stays what it was.

    The smallest is multiplied by their number, the next by one less, and none may be smaller than
    the one before (Holm 1979, "A simple sequentially rejective multiple test procedure").
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    corrected = [1.0] * len(values)
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min(1.0, values[index] * (len(values) - position)))
        corrected[index] = largest
    return corrected


def least_p(first: int, second: int) -> float:
    """The smallest two-sided p that so many starts can ever give: 0.0079 for five against five."""
    return min(1.0, 2 / comb(first + second, first))


def attained_level(first: int, second: int, level: float) -> float:
    """The largest p at or below the level that so many starts can give: few starts have few ps.

    0.032 for five against five at 5 %: the test is stricter than it is asked to be. The ways to
    each U are the coefficients of the Gaussian binomial (Mann & Whitney 1947). With more than 30
    starts a side, ps lie close enough for the level itself.
    """
    if max(first, second) > 30:
        return level
    ways = [1] + [0] * (first * second)
    for step in range(1, first + 1):
        for place in range(len(ways) - 1, second + step - 1, -1):
            ways[place] -= ways[place - second - step]
        for place in range(step, len(ways)):
            ways[place] += ways[place - step]
    attained, tail, total = 0.0, 0, comb(first + second, first)
    for count in ways:
        tail += count
        if 2 * tail > level * total:
            break
        attained = 2 * tail / total
    return attained


def starts_needed(compared: int = 1, *, level: float = 0.05) -> int:
    """Starts of each side without which no difference can be shown: 5, and 6 from the 7th
    comparison on.
    """
    starts = FEWEST_STARTS
    while least_p(starts, starts) * compared > level:
        starts += 1
    return starts


ALPHA = 0.05
LEAST_SPREAD = 0.03
"""Standard deviation of a block's difference, at least: a few blocks agree by chance at times."""
FIRST_LOOK = 3  #: After so many blocks.
CLOSE = math.log(1.03)  #: Nobody would act on less, so nobody is given up for less.


def given_up(blocks: Mapping[str, Sequence[float]], *, looks: int) -> dict[str, float]:
    """Name of each candidate to give up, with its mean difference to the leader.

    `blocks` are figures, block by block, of those still in the race. `looks` is how often is
    looked in all.
    """
    from scipy import stats

    count = min(map(len, blocks.values()))
    if count < FIRST_LOOK or len(blocks) < 2:
        return {}
    leader = max(blocks, key=lambda name: sum(blocks[name]))
    differences = {
        name: [own - best for own, best in zip(figures, blocks[leader], strict=True)]
        for name, figures in blocks.items()
        if name != leader
    }
    means = {name: sum(values) / count for name, values in differences.items()}
    squares = sum(
        (value - means[name]) ** 2 for name, values in differences.items() for value in values
    )
    freedom = len(differences) * (count - 1)
    error = max(LEAST_SPREAD, math.sqrt(squares / freedom)) / math.sqrt(count)
    level = ALPHA / (looks * len(blocks))
    limit = float(stats.t.ppf(1 - level, freedom)) * error
    return {name: mean for name, mean in means.items() if -mean > max(limit, CLOSE)}
