"""Who of a broadcast's subscribers got what, when, in which order, and who is slow.

Subscribers may be spread over load processes; all share one clock, and every delivery carries the
moment at which its publication was sent, by which they are put together here.
"""

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.samples import Kind
from benchsuite.stats.summary import DTYPE, Samples

NONE: Samples = np.zeros(0, DTYPE)


def fan_out(
    publications: Samples,
    deliveries: Samples,
    opened: Samples,
    ended: Samples,
    left: Samples = NONE,
) -> tuple[Samples, Samples]:
    """(One sample for each publication, one for each delivery that never was.)

    `opened` are the handshakes that succeeded, `ended` the connections that ended before the load
    did, `left` those that the load itself began to close then. A publication is due to whoever was
    connected when it was sent, and did not leave before the others had it. The first samples last
    until the last subscriber had it, or are LOST when one never did; a lost delivery lasts until
    the end. Their names are not set.
    """
    begin, cut = _connected(opened, ended, "finish")
    _, gone = _connected(opened, left, "start")
    users = opened["user"].astype(np.int64)
    end = np.minimum(cut, gone)
    order = np.argsort(deliveries["start"], kind="stable")
    sent = deliveries["start"][order]
    last = max(one["finish"].max(initial=0.0) for one in (publications, deliveries))
    whole = np.zeros(len(publications), DTYPE)
    lost: list[Samples] = []
    for place, publication in enumerate(publications):
        moment = publication["start"]
        low, high = np.searchsorted(sent, [moment, np.nextafter(moment, np.inf)])
        arrived = deliveries[order[low:high]]
        reached = arrived["finish"].max(initial=moment)
        left_before = (gone <= cut) & (gone <= reached)
        due = users[(begin <= moment) & (moment < end) & ~left_before]
        missing = np.setdiff1d(due, arrived["user"])
        whole[place] = publication
        whole[place]["kind"] = Kind.LOST if len(missing) else Kind.OK
        whole[place]["finish"] = last if len(missing) else reached
        lost.append(_never(publication, missing, last))
    return whole, np.concatenate([np.zeros(0, DTYPE), *lost])


def _connected(
    opened: Samples, ended: Samples, moment: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Begin and end of each connection; the end is infinite where it lasted."""
    ends = np.full(len(opened), np.inf)
    for place, connection in enumerate(opened):
        later = ended[moment][
            (ended["user"] == connection["user"]) & (ended[moment] >= connection["finish"])
        ]
        ends[place] = later.min(initial=np.inf)
    return opened["finish"], ends


def _never(publication: np.void, users: NDArray[np.int64], moment: float) -> Samples:
    samples = np.zeros(len(users), DTYPE)
    samples["kind"] = Kind.LOST
    samples["user"] = users
    samples["intended_start"] = publication["intended_start"]
    samples["start"] = publication["start"]
    samples["finish"] = moment
    return samples


HEALTHY, SLOW = " (healthy subscribers)", " (slow subscribers)"
"""What the name of a broadcast's messages ends with where some subscribers were slow."""

TIMES = 5.0
LEAST_LAG_S = 0.01
"""A subscriber is slow when its median time is longer than five times the median subscriber's, and
by 10 ms at least; the others are healthy."""


def slow_users(deliveries: Samples, lost: Samples) -> NDArray[np.uint32]:
    """The numbers of those that are; what one never got took it for ever."""
    users = np.concatenate([deliveries["user"], lost["user"]])
    took = np.concatenate(
        [deliveries["finish"] - deliveries["intended_start"], np.full(len(lost), np.inf)]
    )
    names = np.unique(users)
    if not len(names):
        return names
    medians = np.array([_lower_median(took[users == name]) for name in names])
    usual = _lower_median(medians)
    slow: NDArray[np.uint32] = names[medians > max(TIMES * usual, usual + LEAST_LAG_S)]
    return slow


def _lower_median(values: NDArray[np.float64]) -> float:
    """One of the values, so that half of them may be infinite."""
    return float(np.sort(values)[(len(values) - 1) // 2])


USUAL = 2.0
"""Times the median of the first deliveries: a publication that was sent so much earlier than
another, and came after it, was overtaken."""
LEAST_OVERTAKING_S = 0.01
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
    grace = max(USUAL * float(np.median(first - starts)), LEAST_OVERTAKING_S)
    bar = np.minimum(first, sent + grace)[which]
    publisher = known["user"][place][which]
    latest = _latest_before(deliveries, deliveries["user"])
    own = _latest_before(deliveries, deliveries["user"], publisher)
    late: Marks = (latest > bar) | (own > deliveries["start"])
    return late


def _latest_before(deliveries: Samples, *groups: NDArray[np.uint32]) -> NDArray[np.float64]:
    """For each delivery the latest start among those of its group that arrived before it."""
    order = np.lexsort((deliveries["finish"], *groups))
    starts = deliveries["start"][order]
    keys = np.stack([group[order] for group in groups])
    edges = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    latest = np.full(len(deliveries), -np.inf)
    for members in np.split(np.arange(len(order)), edges):
        latest[order[members[1:]]] = np.maximum.accumulate(starts[members])[:-1]
    return latest
