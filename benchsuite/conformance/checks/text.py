"""Text is UTF-8: section 8.1."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks.failing import fails_with
from benchsuite.conformance.connection import Silent
from benchsuite.conformance.frames import Opcode, encode
from benchsuite.conformance.outcomes import Note
from benchsuite.conformance.peer import Peer

VALID = "κόσμε \U0001f30d \ufeff \ufffd \u0000 \U0010ffff".encode()
INVALID = {
    "a stray byte": b"ok \xff",
    "a character cut off": b"ok \xce",
    "overlong": b"\xc0\xaf",
    "a surrogate": b"\xed\xa0\x80",
    "above U+10FFFF": b"\xf4\x90\x80\x80",
}
FAIL_FAST_S = 1.0


def _valid(peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.TEXT, VALID)
        connection.echoed(Opcode.TEXT, VALID)
    return None


def _cut_anywhere(peer: Peer) -> Note | None:
    """Fragments of one byte cut every character."""
    with peer.open() as connection:
        for at in range(len(VALID)):
            opcode = Opcode.CONTINUATION if at else Opcode.TEXT
            connection.send(opcode, VALID[at : at + 1], fin=at == len(VALID) - 1)
        connection.echoed(Opcode.TEXT, VALID)
    return None


def _invalid(payload: bytes, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.TEXT, payload)
        return fails_with(connection, 1007)


def _invalid_over_fragments(peer: Peer) -> Note | None:
    """The first byte of a character in one fragment, what can't follow it in the next."""
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"ok \xce", fin=False)
        connection.send(Opcode.CONTINUATION, b"ok")
        return fails_with(connection, 1007)


def _fail_fast(peer: Peer) -> Note | None:
    """Whether the server waits for the end of a message that can't become valid any more."""
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"ok \xff", fin=False)
        try:
            found = connection.frame(FAIL_FAST_S)
        except Silent:
            connection.send(Opcode.CONTINUATION, b"end")
            return fails_with(connection, 1007) or Note("notices it at the end of the message")
        if found is not None:
            connection.put_back(found)
        return fails_with(connection, 1007)


def _fail_fast_within(peer: Peer) -> Note | None:
    """The same within one frame, of which the rest is still to come."""
    frame = encode(Opcode.TEXT, b"ok \xff and the rest")
    with peer.open() as connection:
        connection.answers_pings = False
        connection.raw(frame[:-13])
        try:
            found = connection.frame(FAIL_FAST_S)
        except Silent:
            connection.raw(frame[-13:])
            return fails_with(connection, 1007) or Note("notices it at the end of the frame")
        if found is not None:
            connection.put_back(found)
        return fails_with(connection, 1007)


def _binary(peer: Peer) -> Note | None:
    payload = b"".join(INVALID.values())
    with peer.open() as connection:
        connection.send(Opcode.BINARY, payload)
        connection.echoed(Opcode.BINARY, payload)
    return None


GROUP = "text"
CHECKS = (
    Check(GROUP, "1 to 4 bytes a character", "8.1", _valid),
    Check(GROUP, "fragments that cut characters", "5.4", _cut_anywhere),
    *(
        Check(GROUP, f"invalid: {name}", "8.1", partial(_invalid, payload))
        for name, payload in INVALID.items()
    ),
    Check(GROUP, "invalid over two fragments", "8.1", _invalid_over_fragments),
    Check(GROUP, "invalid in a first fragment: fails at once", "8.1", _fail_fast),
    Check(GROUP, "invalid in half a frame: fails at once", "8.1", _fail_fast_within),
    Check(GROUP, "binary may be invalid UTF-8", "5.6", _binary),
)
