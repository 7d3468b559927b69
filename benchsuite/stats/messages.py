"""What became of messages and connections, counted from samples. Pure functions.

Subscribers of a broadcast may be spread over load processes; all share one clock, and deliveries
carry the moment at which theirs was sent, which tells who got what, when, and in which order.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.results import Accounts, Recovery
from benchsuite.core.samples import CONNECTION, ENDS, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.stats.summary import DTYPE, Pauses, Samples, Window, inside

NO_ANSWER = (Kind.READ_TIMEOUT, Kind.RESET, Kind.WEBSOCKET_CLOSED, Kind.PROTOCOL, Kind.OTHER)
"""How a message may end that was sent and never came back, besides LOST and UNFINISHED."""
HEARD = (HANDSHAKE, MESSAGE, UNSOLICITED)  #: Scopes of what comes over a connection.


def lost(messages: Samples) -> Samples:
    """Those that were sent, and of which nothing came back."""
    unanswered = np.isin(messages["kind"], NO_ANSWER) & (messages["body_bytes"] > 0)
    return messages[unanswered | np.isin(messages["kind"], (Kind.LOST, Kind.UNFINISHED))]


def ended_early(strays: Samples) -> Samples:
    """Connections that the server ended, or broke; the body's length is the close code."""
    return strays[np.isin(strays["kind"], ENDS)]


def accounts(by_scope: Mapping[str, Samples], window: Window, pauses: Pauses) -> Accounts:
    """The counts over a window, by one rule: whatever belongs to it is followed to its end.

    Messages belong to it that were meant to be sent in it, and with them what came of them.
    Connections belong to it that existed in it, and those that were tried in vain in it, or at any
    time where nobody connected but before the window.
    """
    sent = _within(by_scope[MESSAGE], window, pauses)
    strays = _within(by_scope[STRAY], window, pauses)
    unsolicited = _within(by_scope[UNSOLICITED], window, pauses)
    held = _existing(by_scope[CONNECTION], window, pauses)
    tried = by_scope[HANDSHAKE]
    if len(_within(tried, window, pauses)):
        tried = _existing(tried, window, pauses)
    refused = len(tried) - _count(tried, Kind.OK)
    ends = ended_early(held)
    broken = ends["kind"] == Kind.PROTOCOL  # the close code of these is ours
    ends = ends[~broken]
    codes, counts = np.unique(ends["body_bytes"][ends["body_bytes"] > 0], return_counts=True)
    return Accounts(
        messages=len(sent),
        lost=len(lost(sent)),
        duplicated=_count(strays, Kind.DUPLICATED),
        reordered=_count(strays, Kind.REORDERED),
        corrupt=_count(strays, Kind.CORRUPT) + _count(sent, Kind.CORRUPT),
        misdirected=_count(strays, Kind.MISDIRECTED),
        handshakes=len(held) + refused,
        handshakes_failed=refused,
        closings_failed=_count(held, Kind.UNFINISHED),
        closed_early=len(ends),
        unsolicited=len(unsolicited),
        unsolicited_bytes=int(unsolicited["body_bytes"].sum()),
        closes={int(code): int(count) for code, count in zip(codes, counts, strict=True)},
        broken=int(broken.sum()),
        silence_s=silence(ends, np.concatenate([by_scope[scope] for scope in HEARD])),
    )


def _within(samples: Samples, window: Window, pauses: Pauses) -> Samples:
    return samples[inside(samples["intended_start"], window, pauses)]


def _existing(spans: Samples, window: Window, pauses: Pauses) -> Samples:
    """Those that existed while the window counts, and later ones: what was due needed them."""
    begin, end = window
    edges = [begin, *(edge for pause in sorted(pauses) for edge in pause), end]
    existing = spans["start"] >= end
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        existing |= (spans["start"] < high) & (spans["finish"] >= low) & (low < high)
    return spans[existing]


def _count(samples: Samples, kind: Kind) -> int:
    return int((samples["kind"] == kind).sum())


EARLY_S = 0.5  #: The load's clock may have begun so much before the moment by which the run goes.


def recovery(handshakes: Samples, moment: float) -> Recovery | None:
    """Of the users who were connected before about that moment; None where nobody was.

    Times are since the first of them connected again, as all do as soon as they are cut. A user is
    back with the first handshake that succeeds.
    """
    storm = handshakes["start"] >= moment - EARLY_S
    before = np.unique(handshakes["user"][(handshakes["kind"] == Kind.OK) & ~storm])
    if not len(before):
        return None
    after = handshakes[storm & np.isin(handshakes["user"], before)]
    came = after[after["kind"] == Kind.OK]
    begin = float(after["start"].min(initial=np.inf))
    users = np.unique(came["user"])
    took = sorted(float(came["finish"][came["user"] == user].min()) - begin for user in users)
    half = (len(before) + 1) // 2
    return Recovery(
        cut=len(before),
        back=len(took),
        failed=len(after) - len(came),
        half_back_s=took[half - 1] if len(took) >= half else None,
        all_back_s=took[-1] if len(took) == len(before) else None,
    )


def silence(ends: Samples, heard: Samples) -> float | None:
    """Median time from the last thing that came over a connection to its end without a close frame;
    None where none ended like that. `heard` are handshakes and messages.
    """
    came = heard[heard["kind"] == Kind.OK]
    lengths = []
    for end in ends[ends["kind"] == Kind.RESET]:
        before = came["finish"][(came["user"] == end["user"]) & (came["finish"] <= end["finish"])]
        if len(before):
            lengths.append(float(end["finish"] - before.max()))
    return float(np.median(lengths)) if lengths else None


NONE: Samples = np.zeros(0, DTYPE)


def fan_out(
    publications: Samples,
    deliveries: Samples,
    opened: Samples,
    ended: Samples,
    left: Samples = NONE,
) -> tuple[Samples, Samples]:
    """(One sample for each publication, one for each delivery that never was), without names.

    `opened` are the handshakes that succeeded, `ended` the connections that ended before the load
    did, `left` those that the load itself began to close then. A publication is due to whoever was
    connected when it was sent, and did not leave before the others had it. It lasts until the last
    subscriber had it, or is LOST when one never did; a lost delivery lasts until the end.
    """
    cut, gone = _ends(opened, ended, "finish"), _ends(opened, left, "start")
    users, begin = opened["user"].astype(np.int64), opened["finish"]
    end = np.minimum(cut, gone)
    order = np.argsort(deliveries["start"], kind="stable")
    sent = deliveries["start"][order]
    last = max(samples["finish"].max(initial=0.0) for samples in (publications, deliveries))
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
        never = np.zeros(len(missing), DTYPE)
        never["kind"], never["user"], never["finish"] = Kind.LOST, missing, last
        for moment in ("intended_start", "start"):
            never[moment] = publication[moment]
        lost.append(never)
    return whole, np.concatenate([NONE, *lost])


def _ends(opened: Samples, ended: Samples, moment: str) -> NDArray[np.float64]:
    """The end of each connection; infinite where it lasted."""
    ends = np.full(len(opened), np.inf)
    for place, connection in enumerate(opened):
        moments = ended[moment][ended["user"] == connection["user"]]
        ends[place] = moments[moments >= connection["finish"]].min(initial=np.inf)
    return ends


USUAL = 2.0
"""Times the median of the first deliveries: a publication that was sent so much earlier than
another, and came after it, was overtaken."""
LEAST_OVERTAKING_S = 0.01  #: Messages sent closer together may change places on their way.


def overtaken(publications: Samples, deliveries: Samples) -> NDArray[np.bool_]:
    """For each delivery whether its subscriber already had one that was published clearly later: by
    the same publisher; or after somebody had got this one; or much later than the usual time of a
    delivery. Those that arrived with the same bytes keep their places.
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
    late: NDArray[np.bool_] = (latest > bar) | (own > deliveries["start"])
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
