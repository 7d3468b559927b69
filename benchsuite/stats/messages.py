"""What became of messages and connections, counted from samples. Pure functions."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchsuite.core.results import Accounts, Recovery
from benchsuite.core.samples import CONNECTION, ENDS, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.stats.summary import Pauses, Samples, inside

NO_ANSWER = (
    Kind.READ_TIMEOUT,
    Kind.RESET,
    Kind.WEBSOCKET_CLOSED,
    Kind.PROTOCOL,
    Kind.OTHER,
)
"""How a message may end that was sent and never came back, besides LOST and UNFINISHED."""


def lost(messages: Samples) -> Samples:
    """Those that were sent, and of which nothing came back."""
    unanswered = np.isin(messages["kind"], NO_ANSWER) & (messages["body_bytes"] > 0)
    return messages[unanswered | np.isin(messages["kind"], (Kind.LOST, Kind.UNFINISHED))]


def ended_early(strays: Samples) -> Samples:
    """Connections that the server ended, or broke; the body's length is the close code."""
    return strays[np.isin(strays["kind"], ENDS)]


def accounts(
    by_scope: Mapping[str, Samples], window: tuple[float, float], pauses: Pauses
) -> Accounts:
    """The counts over a window, by one rule: whatever belongs to it is followed to its end.

    Messages belong to it that were meant to be sent in it, and with them what came of them: copies,
    damaged ones. Connections belong to it that existed in it, and with them how they ended; those
    that were tried in vain do, too, and all of these where nobody connected but before the window.
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
        silence_s=silence(ends, np.concatenate([by_scope[HANDSHAKE], by_scope[MESSAGE]])),
    )


def _within(samples: Samples, window: tuple[float, float], pauses: Pauses) -> Samples:
    return samples[inside(samples["intended_start"], window, pauses)]


def _existing(spans: Samples, window: tuple[float, float], pauses: Pauses) -> Samples:
    """Those that existed at some moment of the window that counts, and those that began after it:
    what was due in it needed them.
    """
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
    recovered = _recovery(handshakes[~brief], away[0], away[0])
    unclosed = int((connections["kind"] == Kind.RESET).sum())
    return recovered and replace(recovered, away_s=away[1] - away[0], unclosed=unclosed)


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
