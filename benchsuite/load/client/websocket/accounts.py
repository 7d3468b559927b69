"""Numbered messages: each carries its connection, its number and a checksum.

A message is 24 hexadecimal digits (connection, number, checksum) and then filler up to its length,
the same bytes as text and as binary. A publication has 32 more, between checksum and filler: when
it was meant to be sent and when it was, two doubles of CLOCK_MONOTONIC.

The checksum is that of the filler, continued over everything before it. So the filler, which may be
long, is summed once for each length and not for each message.
"""

import struct
from functools import cache
from itertools import cycle, islice
from operator import eq
from typing import NamedTuple
from zlib import crc32

HEAD_BYTES = 24
TIMES_BYTES = 32
LEAST_PUBLICATION_BYTES = HEAD_BYTES + TIMES_BYTES
MOST_BYTES = 16 * 2**20
CLAIM_BYTES = 16  #: Connection and number: a match of this many bytes is no coincidence.
LOOKED_BYTES = 1024  #: How much of a message is compared to find a damaged copy.
GENERATIONS = 18  #: Bits of a connection's number that count the connections of one user.
REHEARSING_USER = 2**14 - 1  #: Of checked journeys; the users of a load are below.
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
_DIGITS = b"0123456789abcdef"
_times = struct.Struct(">dd")


class Numbered(NamedTuple):
    """What a message says about itself."""

    connection: int
    number: int


class Published(NamedTuple):
    """What a publication says about itself; times are CLOCK_MONOTONIC seconds."""

    connection: int
    number: int
    intended: float
    start: float


def connection_number(user: int, generation: int) -> int:
    """Different for every connection of a load: users are numbered over all load processes."""
    return (user << GENERATIONS | generation & (1 << GENERATIONS) - 1) & 0xFFFFFFFF


def message(connection: int, number: int, size: int, times: bytes = b"") -> bytes:
    """A numbered message of `size` bytes; `times` are those of a publication."""
    filler, checksum = _filler(size - HEAD_BYTES - len(times))
    head = b"%08x%08x" % (connection, number)
    return b"%s%08x%s%s" % (head, crc32(times, crc32(head, checksum)), times, filler)


def publication(connection: int, number: int, size: int, intended: float, start: float) -> bytes:
    """A numbered message to all subscribers, of `size` bytes, with its times."""
    return message(connection, number, size, _times.pack(intended, start).hex().encode())


def numbered(data: bytes, least: int = HEAD_BYTES) -> Numbered | None:
    """Connection and number, where the filler begins at `least`; None when damaged or not ours."""
    if len(data) < least:
        return None
    try:
        connection, number, checksum = (int(data[at : at + 8], 16) for at in (0, 8, 16))
    except ValueError:
        return None
    computed = crc32(data[HEAD_BYTES:least], crc32(data[:16], crc32(data[least:])))
    return Numbered(connection, number) if computed == checksum else None


def published(data: bytes) -> Published | None:
    """The same of a publication, with its times."""
    if (head := numbered(data, LEAST_PUBLICATION_BYTES)) is None:
        return None
    times = bytes.fromhex(data[HEAD_BYTES:LEAST_PUBLICATION_BYTES].decode())
    return Published(*head, *_times.unpack(times))


def resembles(data: bytes, sent: bytes) -> bool:
    """Whether it is probably a damaged copy of `sent`: cut, longer, or with other bytes in it."""
    claims = len(data) >= CLAIM_BYTES
    if sent in data or (claims and data[:CLAIM_BYTES].lower() == sent[:CLAIM_BYTES]):
        return True
    if len(data) != len(sent):
        return claims and data in sent
    alike: int = sum(map(eq, data[:LOOKED_BYTES], sent[:LOOKED_BYTES]))
    return 2 * alike >= min(len(sent), LOOKED_BYTES)


def resembles_publication(data: bytes) -> bool:
    """Whether it is probably a damaged publication: mostly digits, then the filler."""
    head, rest = data[:LEAST_PUBLICATION_BYTES], data[LEAST_PUBLICATION_BYTES:LOOKED_BYTES]
    if len(head) < LEAST_PUBLICATION_BYTES:
        return False
    filler, _ = _filler(len(rest))
    digits = sum(byte in _DIGITS for byte in head)
    return 10 * digits >= 9 * len(head) and 2 * sum(map(eq, rest, filler)) >= len(rest)


@cache
def _filler(length: int) -> tuple[bytes, int]:
    """That many letters, and their checksum."""
    letters = bytes(islice(cycle(_LETTERS), length))
    return letters, crc32(letters)
