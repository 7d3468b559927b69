"""Candidates that are measured in blocks, each once a block: which can be given up early.

The figure of a candidate in a block is a logarithm; its difference to the leader within the block
is free of what changes from block to block. A candidate is given up when its mean difference is so
large that chance would show it in no more than ALPHA of races in which it is as good as the leader,
over all looks and pairs together (Bonferroni; any of them may lead by chance). That is a decision
about time and no claim.
"""

import math
from collections.abc import Mapping, Sequence

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
