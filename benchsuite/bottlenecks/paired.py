"""Two configurations that were started in the same blocks, held against each other."""

import math
from collections.abc import Mapping
from typing import TypeVar

from benchsuite.bottlenecks.evidence import Ratio

FEWEST = 3  #: Blocks that both were started in: of fewer there is no interval worth the name.
CONFIDENCE = 0.95

Block = TypeVar("Block")


def ratio(own: Mapping[Block, float], theirs: Mapping[Block, float]) -> Ratio | None:
    """Of two figures, given as logarithms by block, with its interval by Student's t; None with too
    few blocks. What changes from block to block is in neither.
    """
    differences = [own[block] - theirs[block] for block in own if block in theirs]
    if len(differences) < FEWEST:
        return None
    from scipy import stats

    mean = sum(differences) / len(differences)
    half = float(stats.sem(differences) * stats.t.ppf((1 + CONFIDENCE) / 2, len(differences) - 1))
    return Ratio(value=math.exp(mean), low=math.exp(mean - half), high=math.exp(mean + half))
