"""How long connections had been silent when somebody cut them. Pure functions."""

import numpy as np

from benchsuite.core.samples import Kind
from benchsuite.stats.summary import Samples


def silence(ends: Samples, heard: Samples) -> float | None:
    """Median time from the last thing that came over a connection to its end without a close frame;
    None where none ended like that.

    `heard` are handshakes and messages, one user's connections among them one after the other.
    """
    came = heard[heard["kind"] == Kind.OK]
    lengths = []
    for end in ends[ends["kind"] == Kind.RESET]:
        before = came["finish"][(came["user"] == end["user"]) & (came["finish"] <= end["finish"])]
        if len(before):
            lengths.append(float(end["finish"] - before.max()))
    return float(np.median(lengths)) if lengths else None
