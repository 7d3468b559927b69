"""Messages in parts: section 5.4."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks.failing import fails_with
from benchsuite.conformance.frames import Opcode, encode
from benchsuite.conformance.outcomes import Deviation, Note
from benchsuite.conformance.peer import Peer

PARTS = ("Grüße, ".encode(), "κόσμε".encode(), b"!")
MANY = 1000


def _parts(opcode: Opcode, parts: tuple[bytes, ...], peer: Peer) -> Note | None:
    with peer.open() as connection:
        for number, part in enumerate(parts):
            kind = opcode if number == 0 else Opcode.CONTINUATION
            connection.send(kind, part, fin=number == len(parts) - 1)
        connection.echoed(opcode, b"".join(parts))
    return None


def _bytewise(peer: Peer) -> Note | None:
    """One byte at a time, each in its own write."""
    with peer.open() as connection:
        for byte in encode(Opcode.TEXT, b"byte by byte"):
            connection.raw(bytes((byte,)))
        connection.echoed(Opcode.TEXT, b"byte by byte")
    return None


def _ping_between(peer: Peer) -> Note | None:
    """Control frames may come between fragments, and are answered before the message."""
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"one ", fin=False)
        connection.send(Opcode.PING, b"between")
        connection.send(Opcode.CONTINUATION, b"two", fin=True)
        while (first := connection.frame(pongs=True)) is not None and first.opcode == Opcode.PONG:
            if first.payload == b"between":
                connection.echoed(Opcode.TEXT, b"one two")
                return None
        raise Deviation(f"answers the ping between fragments with {first}")


def _many(peer: Peer) -> Note | None:
    frames = [encode(Opcode.BINARY, b"x", fin=False)]
    frames += [encode(Opcode.CONTINUATION, b"x", fin=False)] * (MANY - 2)
    frames += [encode(Opcode.CONTINUATION, b"x")]
    with peer.open() as connection:
        connection.raw(b"".join(frames))
        connection.echoed(Opcode.BINARY, b"x" * MANY)
    return None


def _forbidden(first: tuple[Opcode, bool], second: tuple[Opcode, bool], peer: Peer) -> Note | None:
    with peer.open() as connection:
        for opcode, fin in (first, second):
            connection.send(opcode, b"part", fin=fin)
        return fails_with(connection, 1002)


def _lone(fin: bool, peer: Peer) -> Note | None:  # noqa: FBT001  (only ever bound by name below)
    with peer.open() as connection:
        connection.send(Opcode.CONTINUATION, b"of nothing", fin=fin)
        return fails_with(connection, 1002)


GROUP = "fragments"
TEXT, BINARY = (Opcode.TEXT, False), (Opcode.BINARY, False)
CHECKS = (
    Check(GROUP, "text in three", "5.4", partial(_parts, Opcode.TEXT, PARTS)),
    Check(GROUP, "binary in three", "5.4", partial(_parts, Opcode.BINARY, (b"\xff", b"\0", b"x"))),
    Check(GROUP, "empty ones", "5.4", partial(_parts, Opcode.TEXT, (b"", b"a", b"", b"b", b""))),
    Check(GROUP, "nothing but empty ones", "5.4", partial(_parts, Opcode.BINARY, (b"", b"", b""))),
    Check(GROUP, "a frame byte by byte", "5.2", _bytewise),
    Check(GROUP, "a ping between is answered first", "5.4", _ping_between),
    Check(GROUP, f"{MANY} of one byte", "5.4", _many),
    Check(GROUP, "a continuation of nothing", "5.4", partial(_lone, True)),
    Check(GROUP, "an unfinished continuation of nothing", "5.4", partial(_lone, False)),
    Check(GROUP, "a text within a text", "5.4", partial(_forbidden, TEXT, (Opcode.TEXT, True))),
    Check(GROUP, "a text within a binary", "5.4", partial(_forbidden, BINARY, (Opcode.TEXT, True))),
    Check(GROUP, "a binary within a text", "5.4", partial(_forbidden, TEXT, (Opcode.BINARY, True))),
)
