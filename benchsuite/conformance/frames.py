"""Frames of RFC 6455, section 5.2, as bytes: also those that nobody may send."""

import os
from dataclasses import dataclass
from enum import IntEnum

from benchsuite.conformance.outcomes import Deviation


class Opcode(IntEnum):
    """What a frame is."""

    CONTINUATION = 0x0
    TEXT = 0x1
    BINARY = 0x2
    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


DATA = (Opcode.CONTINUATION, Opcode.TEXT, Opcode.BINARY)

FIN = 0x80
MASKED = 0x80
SHORT, MIDDLE, LONG = 125, 126, 127
"""The longest length in seven bits; what says that 16, and that 64 bits follow."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it arrived."""

    opcode: int
    payload: bytes
    fin: bool = True
    reserved: int = 0  #: The three reserved bits, RSV1 as 4.
    masked: bool = False
    shortest: bool = True  #: Whether its length was written in as few bytes as it can be.

    def __str__(self) -> str:
        name = Opcode(self.opcode).name if self.opcode in set(Opcode) else f"opcode {self.opcode}"
        return f"{name} of {len(self.payload)} bytes"


def encode(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes | None = None,
    masked: bool = True,
    length_bytes: int | None = None,
) -> bytes:
    """A frame as a client sends it. `length_bytes` 2 or 8 writes the length longer than needed."""
    first = (FIN if fin else 0) | reserved << 4 | opcode
    bit = MASKED if masked else 0
    if length_bytes is None:
        length_bytes = shortest_form(len(payload))
    if length_bytes == 0:
        head = bytes((first, bit | len(payload)))
    else:
        marker = MIDDLE if length_bytes == 2 else LONG
        head = bytes((first, bit | marker)) + len(payload).to_bytes(length_bytes, "big")
    if not masked:
        return head + payload
    key = os.urandom(4) if mask is None else mask
    return head + key + apply_mask(payload, key)


def shortest_form(length: int) -> int:
    """How many bytes must follow the first one of a length."""
    return 0 if length <= SHORT else 2 if length < 1 << 16 else 8


def apply_mask(payload: bytes, key: bytes) -> bytes:
    """XOR with the key over and over; the same again undoes it."""
    if not payload:
        return b""
    stream = (key * (len(payload) // 4 + 1))[: len(payload)]
    mixed = int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big")
    return mixed.to_bytes(len(payload), "big")


class Parser:
    """Takes bytes as they come and gives frames; judges no more than that there can be one."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def frame(self) -> Frame | None:
        """The next whole frame, None while it isn't whole."""
        held = self._buffer
        if len(held) < 2:
            return None
        at, length = 2, held[1] & 0x7F
        extra = {MIDDLE: 2, LONG: 8}.get(length, 0)
        if extra:
            if len(held) < at + extra:
                return None
            length = int.from_bytes(held[at : at + extra], "big")
            at += extra
            if length >> 63:
                raise Deviation("announces a length with the highest of its 64 bits set")
        key_at, masked = at, bool(held[1] & MASKED)
        at += 4 if masked else 0
        if len(held) < at + length:
            return None
        payload = bytes(held[at : at + length])
        if masked:
            payload = apply_mask(payload, bytes(held[key_at:at]))
        first = held[0]
        del held[: at + length]
        shortest = extra == shortest_form(length)
        return Frame(first & 0x0F, payload, bool(first & FIN), first >> 4 & 7, masked, shortest)

    @property
    def pending(self) -> int:
        """Bytes of a frame that isn't whole yet."""
        return len(self._buffer)


def close_payload(code: int | None, reason: bytes = b"") -> bytes:
    """The body of a close frame; None for an empty one."""
    return b"" if code is None else code.to_bytes(2, "big") + reason


def close_code(payload: bytes) -> int | None:
    """The code that a close frame carries."""
    return int.from_bytes(payload[:2], "big") if len(payload) >= 2 else None
