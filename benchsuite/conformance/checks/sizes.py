"""Every form of the length, up to where the server draws a line: sections 5.2, 7.4.1 and 10.4."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.connection import WAIT_S, Ending, Silent
from benchsuite.conformance.frames import Opcode, encode
from benchsuite.conformance.outcomes import Note, Outcome
from benchsuite.conformance.peer import Peer

KIB, MIB = 1 << 10, 1 << 20
LENGTHS = (0, 1, 125, 126, 127, 65_535, 65_536, 256 * KIB, MIB)
LIMITS = (MIB, MIB + 1, 16 * MIB, 16 * MIB + 1, 32 * MIB)
"""Where servers draw the line, as far as anybody needs it."""

BIG_S = 30.0
PIECE = 4 * KIB
TEXT = "Grüße, κόσμε, 世界, 🌍! ".encode()


def text_of(length: int) -> bytes:
    """Valid UTF-8 of that many bytes."""
    return (TEXT * (length // len(TEXT))) + b"x" * (length % len(TEXT))


def binary_of(length: int) -> bytes:
    """All bytes in turn."""
    return (bytes(range(256)) * (length // 256 + 1))[:length]


def _echo(opcode: Opcode, length: int, peer: Peer) -> Note | None:
    payload = text_of(length) if opcode == Opcode.TEXT else binary_of(length)
    wait_s = BIG_S if length > 64 * KIB else WAIT_S
    with peer.open() as connection:
        connection.raw(encode(opcode, payload), wait_s)
        connection.echoed(opcode, payload, wait_s)
        connection.nothing_more()
    return None


def _fragmented(peer: Peer) -> Note | None:
    payload = binary_of(MIB)
    with peer.open() as connection:
        for at in range(0, MIB, PIECE):
            opcode = Opcode.CONTINUATION if at else Opcode.BINARY
            connection.send(opcode, payload[at : at + PIECE], fin=at + PIECE == MIB)
        connection.echoed(Opcode.BINARY, payload, BIG_S)
    return None


def _limit(peer: Peer) -> Note | None:
    """The first size that is refused, which should be with 1009; the one before it is echoed."""
    taken = 0
    for length in LIMITS:
        ending = _refusal(peer, length)
        if ending is not None:
            found = f"takes {named(taken)}, refuses {named(length)}: {ending}"
            return Note(found, Outcome.OK if ending.code == 1009 else Outcome.INFORMATIONAL)
        taken = length
    return Note(f"no limit up to {named(taken)}")


def _refusal(peer: Peer, length: int) -> Ending | None:
    """How the server refuses a message of that size; None when it echoes it."""
    payload = binary_of(length)
    with peer.open() as connection:
        connection.raw(encode(Opcode.BINARY, payload), BIG_S)
        found = connection.frame(BIG_S)
        if found is None:
            return Ending(None, False)
        if found.opcode != Opcode.CLOSE:
            connection.put_back(found)
            connection.echoed(Opcode.BINARY, payload, BIG_S)
            return None
        connection.put_back(found)
        return connection.ending(WAIT_S)


def named(length: int) -> str:
    whole, rest = divmod(length, MIB)
    return f"{whole} MiB" + (f" + {rest} byte" if rest else "")


def _huge_length(peer: Peer) -> Note | None:
    """A head that announces 2^63 - 1 bytes, none of which follow."""
    head = bytes((0x82, 0xFF)) + (2**63 - 1).to_bytes(8, "big") + b"\0\0\0\0"
    with peer.open() as connection:
        connection.raw(head + b"x" * 100)
        try:
            ending = connection.ending()
        except Silent:
            return Note("waits for them")
    return None if ending.code == 1009 else Note(str(ending))


GROUP = "sizes"
CHECKS = (
    *(
        Check(GROUP, f"{one.name.lower()} of {length} bytes", "5.2", partial(_echo, one, length))
        for one in (Opcode.TEXT, Opcode.BINARY)
        for length in LENGTHS
    ),
    Check(GROUP, "1 MiB in fragments of 4 KiB", "5.4", _fragmented),
    Check(GROUP, "above its limit it closes with 1009", "7.4.1", _limit),
    Check(GROUP, "a length of 2^63 - 1 bytes", "10.4", _huge_length),
)
