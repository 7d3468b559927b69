"""Much at once, and clients that behave badly: what a load does to a server."""

from time import sleep

from benchsuite.conformance.check import Check
from benchsuite.conformance.connection import Connection, Silent
from benchsuite.conformance.frames import Opcode, encode
from benchsuite.conformance.outcomes import Deviation, Note, Outcome
from benchsuite.conformance.peer import Peer

SMALL = 200
MIB = 1 << 20
PIECE = 16_384
TOTAL = 16 * MIB
STUCK_S = 2.0
GROWTH = 8 * MIB
"""What a server may grow by for one client that doesn't read; sixteen such are then no matter."""

WARM = 8  #: Messages that are echoed before, so that what they load is no growth.

SETTLED_BYTES = 65_536
SETTLED_READINGS = 15

ABORTED = 50
HALF_OPEN_S = 5.0
BIG_S = 60.0


def _small_at_once(peer: Peer) -> Note | None:
    payloads = [f"small {number}".encode() for number in range(SMALL)]
    with peer.open() as connection:
        connection.raw(b"".join(encode(Opcode.TEXT, payload) for payload in payloads))
        for payload in payloads:
            connection.echoed(Opcode.TEXT, payload)
    return None


def _numbered(number: int) -> bytes:
    return number.to_bytes(8, "big") * (PIECE // 8)


def _back_pressure(peer: Peer) -> Note | None:
    """A client that sends and doesn't read. The server must live, and lose and reorder nothing.

    What it grows by is seen only while its heap holds nothing free that it could take instead.
    """
    count = TOTAL // PIECE
    frames = b"".join(encode(Opcode.BINARY, _numbered(number)) for number in range(count))
    with peer.open(small_buffers=True) as connection:
        for number in range(WARM):
            connection.send(Opcode.BINARY, _numbered(number))
            connection.echoed(Opcode.BINARY, _numbered(number))
        before = _settled(peer)
        sent = connection.pushed(frames, STUCK_S, reading=False)
        after = _settled(peer)
        if not connection.raw(frames[sent:], BIG_S):
            raise Deviation(f"ended the connection of a client that read late ({sent} bytes)")
        for number in range(count):
            _, payload = connection.message(BIG_S)
            if payload != _numbered(number):
                raise Deviation(f"loses or reorders: message {number} is another one")
    held = f"took {sent / MIB:.1f} MiB unread"
    if before is None or after is None:
        return Note(held, Outcome.OK)
    grown = max(0, after - before)
    outcome = Outcome.OK if grown <= GROWTH else Outcome.INFORMATIONAL
    return Note(f"{held}, grew by {grown / MIB:.1f} MiB", outcome)


def _settled(peer: Peer) -> int | None:
    """The server's memory, once it has stopped to change."""
    found = peer.memory()
    for _ in range(SETTLED_READINGS):
        sleep(0.2)
        earlier, found = found, peer.memory()
        if earlier is None or found is None or abs(found - earlier) <= SETTLED_BYTES:
            break
    return found


def _half_open(peer: Peer) -> Note | None:
    """A client that ends its side of TCP without a goodbye."""
    with peer.open() as connection:
        connection.half_close()
        if connection.ended(HALF_OPEN_S):
            return None
    return Note(f"keeps the other side open for more than {HALF_OPEN_S:g} s")


def _aborted(peer: Peer) -> Note | None:
    """Connections that end in the middle of a frame, and what they leave in the server."""
    _still_echoes(peer)
    before = peer.descriptors()
    for _ in range(ABORTED):
        connection = peer.open()
        connection.raw(encode(Opcode.BINARY, b"x" * 1000)[:500])
        connection.abort()
    _still_echoes(peer)
    left = None
    for _ in range(20):
        after = peer.descriptors()
        if before is None or after is None:
            return None
        left = after - before
        if left <= 1:
            return None
        sleep(0.1)
    raise Deviation(f"still holds {left} descriptors of {ABORTED} connections that are gone")


def _stuck(peer: Peer) -> Note | None:
    """A frame that is never finished must not hold up other connections."""
    with peer.open() as connection:
        connection.answers_pings = False
        connection.raw(encode(Opcode.TEXT, b"x" * 1000)[:500])
        _still_echoes(peer)
        _silent(connection)
    return None


def _silent(connection: Connection) -> None:
    try:
        found = connection.frame(0.2)
    except Silent:
        return
    raise Deviation(f"answers half a frame with {found}")


def _still_echoes(peer: Peer) -> None:
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"still there")
        connection.echoed(Opcode.TEXT, b"still there")


GROUP = "flow"
CHECKS = (
    Check(GROUP, f"{SMALL} messages in one segment, in order", "5.4", _small_at_once),
    Check(GROUP, "16 MiB to a client that doesn't read", "10.4", _back_pressure, fresh=True),
    Check(GROUP, "half a frame holds up nobody", "", _stuck),
    Check(GROUP, "a client that half-closes TCP", "7.1.5", _half_open),
    Check(GROUP, f"{ABORTED} connections cut off within a frame", "7.1.5", _aborted),
)
