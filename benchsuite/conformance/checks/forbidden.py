"""Frames that nobody may send: section 5.2."""

from functools import partial

from benchsuite.conformance.check import Check
from benchsuite.conformance.checks.failing import fails_with
from benchsuite.conformance.frames import Opcode
from benchsuite.conformance.outcomes import Note
from benchsuite.conformance.peer import Peer

RESERVED_OPCODES = (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)


def _reserved_bit(bit: int, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"reserved", reserved=bit)
        return fails_with(connection, 1002)


def _reserved_bit_of_ping(peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(Opcode.PING, b"reserved", reserved=4)
        return fails_with(connection, 1002)


def _opcode(opcode: int, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(opcode, b"reserved")
        return fails_with(connection, 1002)


def _unmasked(opcode: Opcode, peer: Peer) -> Note | None:
    with peer.open() as connection:
        connection.send(opcode, b"in the clear", masked=False)
        return fails_with(connection, 1002)


def _long_length(length_bytes: int, peer: Peer) -> Note | None:
    """The shortest form of a length is a must; a server that takes another is none the worse."""
    with peer.open() as connection:
        connection.send(Opcode.TEXT, b"short", length_bytes=length_bytes)
        found = connection.frame()
        if found is not None and found.opcode == Opcode.TEXT:
            return Note("takes it")
        if found is not None:
            connection.put_back(found)
        return fails_with(connection, 1002)


def _negative_length(peer: Peer) -> Note | None:
    """The highest of 64 bits must be 0."""
    with peer.open() as connection:
        connection.raw(bytes((0x82, 0xFF)) + b"\xff" * 8 + b"\0\0\0\0" + b"x" * 100)
        return fails_with(connection, 1002, 1009)


GROUP = "forbidden"
CHECKS = (
    *(
        Check(GROUP, f"reserved bit {name}", "5.2", partial(_reserved_bit, bit))
        for name, bit in (("RSV1", 4), ("RSV2", 2), ("RSV3", 1))
    ),
    Check(GROUP, "reserved bit RSV1 of a ping", "5.2", _reserved_bit_of_ping),
    *(
        Check(GROUP, f"reserved opcode {opcode}", "5.2", partial(_opcode, opcode))
        for opcode in RESERVED_OPCODES
    ),
    Check(GROUP, "an unmasked text", "5.1", partial(_unmasked, Opcode.TEXT)),
    Check(GROUP, "an unmasked ping", "5.1", partial(_unmasked, Opcode.PING)),
    Check(GROUP, "a length of 5 in 16 bits", "5.2", partial(_long_length, 2)),
    Check(GROUP, "a length of 5 in 64 bits", "5.2", partial(_long_length, 8)),
    Check(GROUP, "a length with the highest bit set", "5.2", _negative_length),
)
