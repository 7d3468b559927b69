"""When a sample is large enough for a percentile."""

import math
from collections.abc import Sequence

RISK = 0.025  #: Accepted chance that no sample at all lies beyond the percentile.

ABOUT_HALF = 0.05  #: Of all samples.


def samples_needed(percent: float) -> int:
    """Samples that a percentile asks for: 72 for p95, 368 for p99, 3 688 for p99.9.

    The smallest n with q**n <= 2.5 %: with fewer, the sample may well hold nothing beyond the
    percentile, and its estimate is only the maximum under another name. It is the one-sided form
    of the order-statistic interval (David & Nagaraja, Order Statistics, 3rd ed., 7.1).
    """
    return math.ceil(math.log(RISK) / math.log(percent / 100))


def about_half(count: int) -> float:
    """So many percent of samples to either side of the median lie in its 95 % interval, and 5 more:
    a step so close to the middle may be chance.
    """
    return min(49.0, 100 * (ABOUT_HALF + 1 / math.sqrt(count)))  # 1.96 / 2 of the root


def median_interval(values: Sequence[float], risk: float = 2 * RISK) -> tuple[float, float]:
    """Two of the values between which the median lies, but for this risk; no distribution assumed.

    The k-th smallest and the k-th largest of n, with the highest k for which fewer than k of n
    fair coins fall on one side but for half of the risk (David & Nagaraja, 7.1). The extremes for
    samples of fewer than six.
    """
    ordered = sorted(values)
    count = len(ordered)
    beyond, rank = 0.5**count, 0
    while rank + 1 <= (count - 1) // 2 and beyond <= risk / 2:
        rank += 1
        beyond += math.comb(count, rank) * 0.5**count
    at = max(rank - 1, 0)
    return ordered[at], ordered[count - 1 - at]
