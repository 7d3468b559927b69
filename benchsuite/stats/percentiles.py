"""When a sample is large enough for a percentile."""

import math

RISK = 0.025
"""Accepted chance that no sample at all lies beyond the percentile."""


def samples_needed(percent: float) -> int:
    """Samples that a percentile asks for: 72 for p95, 368 for p99, 3 688 for p99.9.

    The smallest n with q**n <= 2.5 %: with fewer, the sample may well hold nothing beyond the
    percentile, and its estimate is only the maximum under another name. It is the one-sided form
    of the order-statistic interval (David & Nagaraja, Order Statistics, 3rd ed., 7.1).
    """
    return math.ceil(math.log(RISK) / math.log(percent / 100))
