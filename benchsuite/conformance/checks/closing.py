"""Goodbyes: sections 5.5.1 and 7."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks.failing import fails_with
from benchsuite.conformance.connection import Connection
from benchsuite.conformance.frames import Opcode, close_code, close_payload, encode
from benchsuite.conformance.outcomes import Deviation, Note
from benchsuite.conformance.peer import Peer

ALLOWED = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
INVALID = (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999)
UNDEFINED = (5000, 65535)
CLOSES_S = 2.0  #: How soon TCP should end when both have said goodbye.

AFTERWARDS_S = 0.3  #: For how long it is looked at what may come after a close frame.


def _answer(connection: Connection) -> int | None:
    """The code of the server's close frame; raises Deviation when something else comes.

    What comes after it is looked at too: the connection says what is wrong with it.
    """
    found = connection.frame()
    if found is None:
        raise Deviation("ends the connection without a close frame")
    if found.opcode != Opcode.CLOSE:
        raise Deviation(f"answers a close frame with {found}")
    connection.ended(AFTERWARDS_S)
    return close_code(found.payload)


def _echoed(code: int, reason: bytes, peer: Peer) -> Note | None:
    """The same code should come back (5.5.1: "typically echoes the status code")."""
    with peer.open() as connection:
        connection.send_close(code, reason)
        found = _answer(connection)
    return Note(f"answers with {found}") if found != code else None


def _without_code(peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send_close(None)
        found = _answer(connection)
    return Note(f"answers with {found}") if found not in (None, 1000) else None


def _refused(payload: bytes, codes: tuple[int, ...], peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.CLOSE, payload)
        return fails_with(connection, *codes)


def _invalid(code: int, peer: Peer) -> Note | None:
    """A code that nobody may send, echoed or taken as if it were one, is none that was refused."""
    with peer.open() as connection:
        connection.send_close(code)
        ending = connection.ending()
    if ending.code not in (None, 1002):
        raise Deviation(f"answers with {ending.code}")
    return None if ending.code == 1002 else Note(f"{ending} (1002 is expected)")


def _ends_tcp(peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send_close()
        _answer(connection)
        if connection.ended(CLOSES_S - AFTERWARDS_S):
            return None
    return Note(f"leaves TCP open for more than {CLOSES_S:g} s")


def _deaf_afterwards(peer: Peer) -> Note | None:
    """What comes after a close frame is not for the application."""
    with peer.open() as connection:
        late = encode(Opcode.CLOSE, close_payload(1000)) + encode(Opcode.TEXT, b"late")
        connection.raw(late, closes=True)
        _answer(connection)
    return None


def _echo_before(peer: Peer) -> Note | None:
    """What was sent before the close frame should be answered before it."""
    with peer.open() as connection:
        last = encode(Opcode.TEXT, b"last") + encode(Opcode.CLOSE, close_payload(1000))
        connection.raw(last, closes=True)
        found = connection.frame()
        if found is None or found.opcode == Opcode.CLOSE:
            return Note("says goodbye without the echo of the message before")
        if found.opcode != Opcode.TEXT or found.payload != b"last":
            raise Deviation(f"answers with {found}")
        _answer(connection)
    return None


def _within_a_message(peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"unfinished", fin=False)
        connection.send_close()
        found = _answer(connection)
    return Note(f"answers 1000 with {found}") if found != 1000 else None


GROUP = "closing"
LONGEST = b"x" * 123
CHECKS = (
    *(
        Check(GROUP, f"{code} is answered with {code}", "7.4", partial(_echoed, code, b"bye"))
        for code in ALLOWED
    ),
    Check(GROUP, "a reason of 123 bytes", "5.5.1", partial(_echoed, 1000, LONGEST)),
    Check(GROUP, "no code", "5.5.1", _without_code),
    *(Check(GROUP, f"{code} is refused", "7.4", partial(_invalid, code)) for code in INVALID),
    *(
        Check(
            GROUP,
            f"{code}, of which no RFC says anything",
            "",
            partial(_refused, close_payload(code), (1002,)),
        )
        for code in UNDEFINED
    ),
    Check(GROUP, "a code of one byte is refused", "5.5.1", partial(_refused, b"\x03", (1002,))),
    Check(
        GROUP,
        "a reason that is no UTF-8 is refused",
        "5.5.1",
        partial(_refused, close_payload(1000, b"\xff"), (1002, 1007)),
    ),
    Check(GROUP, "the server ends TCP first", "7.1.1", _ends_tcp),
    Check(GROUP, "nothing is heard after it", "5.5.1", _deaf_afterwards),
    Check(GROUP, "what was sent before it is echoed first", "5.5.1", _echo_before),
    Check(GROUP, "between fragments", "5.5.1", _within_a_message),
)
