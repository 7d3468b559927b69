"""Whether a broadcast's publications came in order, whoever published them. Pure functions."""

import numpy as np
from numpy.typing import NDArray

from benchsuite.stats.summary import Samples

USUAL = 2.0
"""Times the median of the first deliveries: a publication that was sent so much earlier than
another, and came after it, was overtaken."""
LEAST_S = 0.01
"""Two connections whose messages are sent closer together may well change places on their way."""

Marks = NDArray[np.bool_]


def overtaken(publications: Samples, deliveries: Samples) -> Marks:
    """For each delivery whether its subscriber already had one that was published clearly later.

    Clearly is: by the same publisher; or after somebody had got this one; or much later than the
    usual time of a delivery. A delivery knows its publication by its start; those that arrived with
    the same bytes keep their places.
    """
    if not len(publications) or not len(deliveries):
        return np.zeros(len(deliveries), np.bool_)
    known = publications[np.argsort(publications["start"], kind="stable")]
    starts, which = np.unique(deliveries["start"], return_inverse=True)
    first = np.full(len(starts), np.inf)
    np.minimum.at(first, which, deliveries["finish"])
    place = np.minimum(np.searchsorted(known["start"], starts), len(known) - 1)
    sent = np.maximum(known["finish"][place], starts)
    grace = max(USUAL * float(np.median(first - starts)), LEAST_S)
    bar = np.minimum(first, sent + grace)[which]
    publisher = known["user"][place][which]
    latest = _latest_before(deliveries, deliveries["user"])
    own = _latest_before(deliveries, deliveries["user"], publisher)
    found: Marks = (latest > bar) | (own > deliveries["start"])
    return found


def _latest_before(deliveries: Samples, *groups: NDArray[np.uint32]) -> NDArray[np.float64]:
    """For each delivery the latest start among those of its group that arrived before it."""
    order = np.lexsort((deliveries["finish"], *groups))
    starts = deliveries["start"][order]
    keys = np.stack([group[order] for group in groups])
    edges = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    found = np.full(len(deliveries), -np.inf)
    for one in np.split(np.arange(len(order)), edges):
        found[order[one[1:]]] = np.maximum.accumulate(starts[one])[:-1]
    return found
