"""How connections came back after all of them were cut in one moment. Pure functions."""

from dataclasses import replace

import numpy as np

from benchsuite.core.results import Recovery
from benchsuite.core.samples import Kind
from benchsuite.stats.summary import Samples

EARLY_S = 0.5  #: The load's clock may have begun so much before the moment by which the run goes.


def recovery(handshakes: Samples, moment: float) -> Recovery | None:
    """Of the users who were connected before about that moment; None where nobody was.

    Times are since the first of them connected again, which all do as soon as they are cut. A user
    is back with the first handshake that succeeds.
    """
    return _recovery(handshakes, moment - EARLY_S, None)


def restarted(
    handshakes: Samples, connections: Samples, away: tuple[float, float]
) -> Recovery | None:
    """The same where the server was restarted, from the moment at which that began.

    `away` is from then to the server's first answer; `handshakes` are also those that failed in it,
    `connections` those that it ended. Who gets in at a process that is about to end, too, and is
    cut again, is not back.
    """
    ended = {
        user: connections["finish"][connections["user"] == user].max()
        for user in np.unique(connections["user"])
    }
    last = np.array([ended.get(user, -np.inf) for user in handshakes["user"]])
    brief = (handshakes["start"] >= away[0]) & (handshakes["finish"] <= last)
    brief &= handshakes["kind"] == Kind.OK
    found = _recovery(handshakes[~brief], away[0], away[0])
    unclosed = int((connections["kind"] == Kind.RESET).sum())
    return found and replace(found, away_s=away[1] - away[0], unclosed=unclosed)


def _recovery(handshakes: Samples, moment: float, begin: float | None) -> Recovery | None:
    storm = handshakes["start"] >= moment
    right = handshakes["kind"] == Kind.OK
    before = np.unique(handshakes["user"][right & ~storm])
    if not len(before):
        return None
    after = handshakes[storm & np.isin(handshakes["user"], before)]
    came = after[after["kind"] == Kind.OK]
    if begin is None:
        begin = float(after["start"].min()) if len(after) else moment
    took = sorted(
        float(came["finish"][came["user"] == user].min()) - begin
        for user in np.unique(came["user"])
    )
    half = (len(before) + 1) // 2
    return Recovery(
        cut=len(before),
        back=len(took),
        failed=len(after) - len(came),
        half_back_s=took[half - 1] if len(took) >= half else None,
        all_back_s=took[-1] if len(took) == len(before) else None,
    )
