"""Who of a broadcast's subscribers got what, and when the last one had it.

Subscribers may be spread over load processes; all share one clock, and every delivery carries the
moment at which its publication was sent, by which they are put together here.
"""

import numpy as np
from numpy.typing import NDArray

from benchsuite.stats.samples import Kind
from benchsuite.stats.summary import DTYPE, Samples


def fan_out(
    publications: Samples, deliveries: Samples, opened: Samples, ended: Samples
) -> tuple[Samples, Samples]:
    """(One sample for each publication, one for each delivery that never was.)

    `opened` are the handshakes that succeeded, `ended` the connections that ended before the load
    did. A publication is due to whoever was connected when it was sent. The first samples last
    until the last subscriber had it, or are LOST when one never did; a lost delivery lasts until
    the end. Their names are not set.
    """
    begin, end, users = _connected(opened, ended)
    order = np.argsort(deliveries["start"], kind="stable")
    sent = deliveries["start"][order]
    last = max(one["finish"].max(initial=0.0) for one in (publications, deliveries))
    whole = np.zeros(len(publications), DTYPE)
    lost: list[Samples] = []
    for place, publication in enumerate(publications):
        moment = publication["start"]
        low, high = np.searchsorted(sent, [moment, np.nextafter(moment, np.inf)])
        arrived = deliveries[order[low:high]]
        due = users[(begin <= moment) & (moment < end)]
        missing = np.setdiff1d(due, arrived["user"])
        whole[place] = publication
        whole[place]["kind"] = Kind.LOST if len(missing) else Kind.OK
        whole[place]["finish"] = last if len(missing) else arrived["finish"].max(initial=moment)
        lost.append(_never(publication, missing, last))
    return whole, np.concatenate([np.zeros(0, DTYPE), *lost])


def _connected(
    opened: Samples, ended: Samples
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Begin, end and user of each connection; the end is infinite where it lasted."""
    ends = np.full(len(opened), np.inf)
    for place, connection in enumerate(opened):
        later = ended["finish"][
            (ended["user"] == connection["user"]) & (ended["finish"] >= connection["finish"])
        ]
        ends[place] = later.min(initial=np.inf)
    return opened["finish"], ends, opened["user"].astype(np.int64)


def _never(publication: np.void, users: NDArray[np.int64], moment: float) -> Samples:
    samples = np.zeros(len(users), DTYPE)
    samples["kind"] = Kind.LOST
    samples["user"] = users
    samples["intended_start"] = publication["intended_start"]
    samples["start"] = publication["start"]
    samples["finish"] = moment
    return samples
