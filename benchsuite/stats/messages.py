"""What became of messages and connections, counted from samples. Pure functions."""

from collections.abc import Mapping

import numpy as np

from benchsuite.core.results import Accounts
from benchsuite.core.samples import CONNECTION, ENDS, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.stats.silence import silence
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
    found = spans["start"] >= end
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        found |= (spans["start"] < high) & (spans["finish"] >= low) & (low < high)
    return spans[found]


def _count(samples: Samples, kind: Kind) -> int:
    return int((samples["kind"] == kind).sum())
