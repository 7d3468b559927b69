"""Who of a broadcast's subscribers got what, and when the last one had it.

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
