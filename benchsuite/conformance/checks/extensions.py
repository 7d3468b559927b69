"""Compression: RFC 7692."""

import zlib

from benchsuite.conformance.check import Check
from benchsuite.conformance.connection import Connection
from benchsuite.conformance.frames import DATA, Opcode
from benchsuite.conformance.judging import RSV1
from benchsuite.conformance.outcomes import Deviation, Note, Outcome
from benchsuite.conformance.peer import Peer

TAIL = b"\x00\x00\xff\xff"
TEXT = b"all work and no play " * 200


def _deflate(peer: Peer) -> Note | None:
    """Takes up the offer or not; where it does, a compressed message must come back whole."""
    with peer.open(extensions="permessage-deflate") as connection:
        chosen = connection.answer.header("sec-websocket-extensions")
        if chosen is None:
            return Note("does not compress", Outcome.OK)
        if not chosen.startswith("permessage-deflate"):
            raise Deviation(f"answers the offer of permessage-deflate with {chosen!r}")
        connection.judge.compresses = True
        press = zlib.compressobj(wbits=-15)
        small = (press.compress(TEXT) + press.flush(zlib.Z_SYNC_FLUSH)).removesuffix(TAIL)
        connection.send(Opcode.TEXT, small, reserved=RSV1)
        compressed, payload = _message(connection)
        if compressed:
            payload = zlib.decompressobj(wbits=-15).decompress(payload + TAIL)
        if payload != TEXT:
            raise Deviation(f"turns a compressed message into {payload[:40]!r}")
    return Note(f"compresses when asked: {chosen}", Outcome.OK)


def _message(connection: Connection) -> tuple[bool, bytes]:
    """The next message, in however many frames, and whether it is compressed."""
    first = found = connection.frame()
    payload = b""
    while found is not None and found.opcode in DATA:
        payload += found.payload
        if found.fin and first is not None:
            return first.reserved == RSV1, payload
        found = connection.frame()
    raise Deviation(f"answers a compressed message with {found}")


def _unknown(peer: Peer) -> Note | None:
    with peer.open(extensions="x-benchsuite; a=1") as connection:
        chosen = connection.answer.header("sec-websocket-extensions")
    if chosen is not None:
        raise Deviation(f"takes up an extension that doesn't exist: {chosen}")
    return None


GROUP = "extensions"
CHECKS = (
    Check(GROUP, "permessage-deflate", "RFC 7692", _deflate),
    Check(GROUP, "an unknown extension is passed over", "9.1", _unknown),
)
