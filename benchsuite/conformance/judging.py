"""What a server may send: RFC 6455, sections 5 and 7.4, frame by frame."""

from codecs import getincrementaldecoder

from benchsuite.conformance.frames import DATA, SHORT, Frame, Opcode, close_code
from benchsuite.conformance.outcomes import Deviation

RSV1 = 4


def may_be_sent(code: int) -> bool:
    """Whether a close frame may carry this code: 7.4.1, 7.4.2 and IANA's registry.

    About codes from 5000 on no RFC says anything.
    """
    return (1000 <= code <= 1014 and code not in (1004, 1005, 1006)) or code >= 3000


class Judge:
    """Looks at each frame that arrives, in order, and raises Deviation at what none may send."""

    def __init__(self) -> None:
        self.compresses = False
        """Whether permessage-deflate was negotiated: then RSV1 may begin a message."""
        self.client_closed = False  #: Whether our close frame went out.
        self._message: int | None = None
        self._readable = True
        self._utf8 = getincrementaldecoder("utf-8")()
        self._closed = self._over = False

    def look(self, frame: Frame) -> None:
        self._order(frame)
        if frame.masked:
            raise Deviation(f"masks its frames ({frame})")
        if not frame.shortest:
            raise Deviation(f"writes the length of {frame} longer than needed")
        if frame.opcode not in set(Opcode):
            raise Deviation(f"sends {frame}, which nobody has defined")
        begins = frame.opcode in (Opcode.TEXT, Opcode.BINARY)
        allowed = RSV1 if self.compresses and begins else 0
        if frame.reserved & ~allowed:
            raise Deviation(f"sets reserved bits {frame.reserved:03b} in {frame}")
        if frame.opcode in DATA:
            self._data(frame)
        else:
            self._control(frame)

    def _order(self, frame: Frame) -> None:
        """After a close frame comes no data, and nothing at all once both sides have sent one."""
        if self._over or (self._closed and frame.opcode in DATA):
            raise Deviation(f"says {frame} after its close frame")

    def _data(self, frame: Frame) -> None:
        if (frame.opcode == Opcode.CONTINUATION) == (self._message is None):
            kind = "continues no message" if self._message is None else "is within another message"
            raise Deviation(f"sends {frame}, which {kind}")
        if self._message is None:
            self._message = frame.opcode
            self._readable = frame.opcode == Opcode.TEXT and not frame.reserved
            self._utf8.reset()
        if self._readable:
            try:
                self._utf8.decode(frame.payload, frame.fin)
            except UnicodeDecodeError:
                raise Deviation(f"sends {frame} that is no UTF-8") from None
        if frame.fin:
            self._message = None

    def _control(self, frame: Frame) -> None:
        if not frame.fin:
            raise Deviation(f"fragments a control frame ({frame})")
        if len(frame.payload) > SHORT:
            raise Deviation(f"sends {frame}, where {SHORT} are the most")
        if frame.opcode == Opcode.CLOSE:
            self._closing(frame.payload)

    def _closing(self, payload: bytes) -> None:
        self._closed, self._over = True, self.client_closed
        if len(payload) == 1:
            raise Deviation("sends half a code in its close frame")
        code = close_code(payload)
        if code is not None and not may_be_sent(code):
            raise Deviation(f"closes with {code}, which nobody may send")
        try:
            payload[2:].decode()
        except UnicodeDecodeError:
            raise Deviation(f"gives a reason that is no UTF-8 ({payload[2:42]!r})") from None
