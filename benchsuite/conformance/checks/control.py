"""Pings and pongs: section 5.5."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks.failing import fails_with
from benchsuite.conformance.connection import Silent
from benchsuite.conformance.frames import Opcode, encode
from benchsuite.conformance.outcomes import Deviation, Note
from benchsuite.conformance.peer import Peer


def _ping(payload: bytes, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.PING, payload)
        others = []
        try:
            while (found := connection.frame(pongs=True)) is not None and found.payload != payload:
                others.append(found)
        except Silent:
            found = None
        if found is None and others:
            raise Deviation(
                f"answers a ping of {payload[:20]!r} with a pong of {others[0].payload!r}"
            )
        if found is None or found.opcode != Opcode.PONG:
            raise Deviation(f"answers a ping with {found}")
    return None


def _ten_pings(peer: Peer) -> Note | None:
    """A server may leave out pongs when newer pings have come (section 5.5.3)."""
    with peer.open() as connection:
        connection.raw(b"".join(encode(Opcode.PING, bytes((n,))) for n in range(10)))
        connection.send(Opcode.TEXT, b"end")
        seen = []
        while (frame := connection.frame(pongs=True)) is not None and frame.opcode != Opcode.TEXT:
            if len(frame.payload) == 1:  # others were not asked for
                seen.append(frame.payload[0])
    if seen != sorted(seen) or not seen or seen[-1] != 9:
        raise Deviation(f"answers pings 0 to 9 with pongs {seen}")
    return Note(f"answers {len(seen)} of them") if len(seen) < 10 else None


def _pong(payload: bytes, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.PONG, payload)
        connection.send(Opcode.TEXT, b"after the pong")
        connection.echoed(Opcode.TEXT, b"after the pong")
    return None


def _too_long(opcode: Opcode, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(opcode, b"\x03\xe8" + b"x" * 124)
        return fails_with(connection, 1002)


def _fragmented(opcode: Opcode, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(opcode, b"\x03\xe8", fin=False)
        return fails_with(connection, 1002)


GROUP = "control"
CONTROL = (Opcode.PING, Opcode.PONG, Opcode.CLOSE)
CHECKS = (
    Check(GROUP, "an empty ping", "5.5.2", partial(_ping, b"")),
    Check(GROUP, "a ping of text", "5.5.2", partial(_ping, b"are you there?")),
    Check(GROUP, "a ping of 125 bytes, not UTF-8", "5.5.2", partial(_ping, b"\xfe" * 125)),
    Check(GROUP, "ten pings in one write", "5.5.3", _ten_pings),
    Check(GROUP, "an unsolicited pong is passed over", "5.5.3", partial(_pong, b"")),
    Check(GROUP, "one of 125 bytes too", "5.5.3", partial(_pong, b"\xfe" * 125)),
    *(
        Check(GROUP, f"a {one.name.lower()} of 126 bytes", "5.5", partial(_too_long, one))
        for one in CONTROL
    ),
    *(
        Check(GROUP, f"a fragmented {one.name.lower()}", "5.5", partial(_fragmented, one))
        for one in CONTROL
    ),
)
