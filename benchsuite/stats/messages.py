"""What became of messages and connections, counted from samples. Pure functions."""

from collections.abc import Mapping

import numpy as np

from benchsuite.results import Accounts
from benchsuite.stats.samples import CLOSING, ENDS, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
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
    """The counts over a window: messages by when they were meant to be sent, strays by when they
    came.
    """
    sent = _within(by_scope[MESSAGE], "intended_start", window, pauses)
    strays = _within(by_scope[STRAY], "finish", window, pauses)
    unsolicited = _within(by_scope[UNSOLICITED], "finish", window, pauses)
    ends = ended_early(strays)
    broken = ends["kind"] == Kind.PROTOCOL  # the close code of these is ours
    ends = ends[~broken]
    codes, counts = np.unique(ends["body_bytes"], return_counts=True)
    return Accounts(
        messages=len(sent),
        lost=len(lost(sent)),
        duplicated=_count(strays, Kind.DUPLICATED),
        reordered=_count(strays, Kind.REORDERED),
        corrupt=_count(strays, Kind.CORRUPT) + _count(sent, Kind.CORRUPT),
        misdirected=_count(strays, Kind.MISDIRECTED),
        handshakes=len(by_scope[HANDSHAKE]),
        handshakes_failed=int((by_scope[HANDSHAKE]["kind"] != Kind.OK).sum()),
        closings_failed=int((by_scope[CLOSING]["kind"] != Kind.OK).sum()),
        closed_early=len(ends),
        unsolicited=len(unsolicited),
        unsolicited_bytes=int(unsolicited["body_bytes"].sum()),
        closes={int(code): int(count) for code, count in zip(codes, counts, strict=True)},
        broken=int(broken.sum()),
        silence_s=silence(ends, np.concatenate([by_scope[HANDSHAKE], by_scope[MESSAGE]])),
    )


def _within(samples: Samples, field: str, window: tuple[float, float], pauses: Pauses) -> Samples:
    return samples[inside(samples[field], window, pauses)]


def _count(samples: Samples, kind: Kind) -> int:
    return int((samples["kind"] == kind).sum())
