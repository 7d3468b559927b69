"""How a handshake shows that the run's own server answers, and answers correctly."""

from collections.abc import Sequence

from websockets.http11 import Response

from benchsuite.core.results import Traffic
from benchsuite.core.samples import Kind
from benchsuite.load.client import failures
from benchsuite.load.client.target import RUN_HEADER, Target
from benchsuite.load.client.websocket.records import Failed
from benchsuite.load.client.websocket.wire import Offer, Wire


class Handshake:
    """One connection's handshake: what is offered, and whether the answer is right."""

    def __init__(
        self, target: Target, subprotocols: Sequence[str], traffic: Traffic | None = None
    ) -> None:
        """The server must choose one of the subprotocols, as browsers demand. Compression is
        offered where there is `traffic` to count.
        """
        self.offered = [*subprotocols]
        self.extensions = [] if traffic is None else [Offer(traffic)]
        self._wanted = tuple(subprotocols)
        self._traffic = traffic
        self._run = target.run_header
        self._mark = ""
        """A subprotocol that only the run's server knows, where it sends no headers."""
        if target.run_header and not target.handshake_headers:
            self._mark = f"{RUN_HEADER}.{target.run_header}"
            self.offered.append(self._mark)

    def judged(self, response: Response, wire: Wire) -> Failed | None:
        """What is wrong with the answer."""
        status = response.status_code
        actual = response.headers.get(RUN_HEADER)
        may_lack = status >= 400 or (bool(self._mark) and wire.subprotocol in self.offered)
        # without headers a subprotocol identifies the run, unless the application has chosen one
        foreign = failures.kind_of_responder(self._run, actual, may_lack=may_lack)
        if foreign is not None:
            return foreign
        if status != 101:
            return Kind.HTTP_STATUS, f"status {status}"
        ending = wire.ending
        if ending is not None and ending.kind is Kind.PROTOCOL:
            return ending.kind, ending.words
        if self._wanted and wire.subprotocol not in self._wanted:
            return Kind.PROTOCOL, f"the server chose no subprotocol of {', '.join(self._wanted)}"
        if self._traffic is not None:
            self._traffic.negotiate(response.headers.get("Sec-WebSocket-Extensions", ""))
        return None
