"""Compression of messages, permessage-deflate (RFC 7692), and how many bytes it makes of them.

Deflating and negotiating are done by `websockets`, with the standard library's zlib.
"""

from collections.abc import Sequence

from websockets.extensions import Extension
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import CTRL_OPCODES, Frame
from websockets.typing import ExtensionParameter

from benchsuite.core.results import Traffic

MASK_BYTES = 4


class Offer(ClientPerMessageDeflateFactory):
    """Offers compression; a server accepts it with settings of its own, or declines."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__()
        self._traffic = traffic

    def process_response_params(  # type: ignore[override]  # it is used as any extension is
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> Extension:
        return Counted(super().process_response_params(params, accepted_extensions), self._traffic)


class Counted(Extension):
    """Counts the bytes of messages before and after, the latter with the heads of their frames."""

    name = ClientPerMessageDeflateFactory.name

    def __init__(self, deflate: Extension, traffic: Traffic) -> None:
        self._deflate = deflate
        self._traffic = traffic

    def encode(self, frame: Frame) -> Frame:
        found = self._deflate.encode(frame)
        if frame.opcode not in CTRL_OPCODES:
            self._traffic.sent_bytes += len(frame.data)
            self._traffic.sent_wire_bytes += on_the_wire(len(found.data)) + MASK_BYTES
        return found

    def decode(self, frame: Frame, *, max_size: int | None = None) -> Frame:
        found = self._deflate.decode(frame, max_size=max_size)
        if frame.opcode not in CTRL_OPCODES:
            self._traffic.received_bytes += len(found.data)
            self._traffic.received_wire_bytes += on_the_wire(len(frame.data))
        return found


def on_the_wire(length: int) -> int:
    """Bytes of an unmasked frame with a payload of `length` (RFC 6455, section 5.2)."""
    return length + (2 if length < 126 else 4 if length < 65_536 else 10)
