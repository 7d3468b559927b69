"""A command's side of an agent: asks what it sees, and goes on without it where it is lost."""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic
from typing import Any, Self

import zmq
from zmq.utils.monitor import recv_monitor_message

from benchsuite import __version__
from benchsuite.agent.messages import FROM_AGENT, kernel, packed, unpacked
from benchsuite.core.exceptions import BenchsuiteError, LoadError, UnavailableError
from benchsuite.core.observations import Agent, Seen
from benchsuite.core.plain import read
from benchsuite.core.readings import TARGET
from benchsuite.core.results import Reading
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.hosts.wire import MOST_BYTES, SENT_S, Exchange, Offset, offset

ANSWER_S = 5.0  #: How long any answer may take.
SILENT_S = 3.0  #: Readings come every second; longer than that is silence.
EXCHANGES = 64  #: To compare clocks, before and after a load.
ERROR_S = 0.05  #: How inexact that may be: readings are of a second.


class Watching:
    """An agent, for all runs of a command; from a load on nothing that it tells is an error."""

    def __init__(self, place: Listening, context: zmq.Context[Any]) -> None:
        self._address, key = f"{place.host}:{place.port}", keys.read(place.key_file)
        self._socket = context.socket(zmq.DEALER)
        keys.secure(self._socket, key, place.host, MOST_BYTES)
        self._socket.setsockopt(zmq.IDENTITY, secrets.token_hex(16).encode())
        self._meet()

    def _meet(self) -> None:
        """Waits until both have shown their keys; UnavailableError where that fails."""
        with self._socket.get_monitor_socket() as events:
            self._socket.connect(f"tcp://{self._address}")
            deadline = monotonic() + ANSWER_S
            while events.poll(max(0, round(1e3 * (deadline - monotonic())))):
                event = recv_monitor_message(events)["event"]
                if event in keys.REFUSED:
                    raise UnavailableError(
                        f"The agent at {self._address} has another key: copy its key file to this "
                        "machine."
                    )
                if event == zmq.Event.HANDSHAKE_SUCCEEDED:
                    self._socket.disable_monitor()
                    return
            raise UnavailableError(
                f"No agent answers at {self._address}: start it there by `benchagent "
                "--listen HOST:PORT --key-file FILE`."
            )

    @contextmanager
    def run(self) -> Iterator[Self]:
        """In the block it watches a run; raises BenchsuiteError where it can't."""
        while self._socket.poll(0):  # what came too late for an earlier run
            self._socket.recv_multipart()
        try:
            self._offset, here = self._clock(), kernel()
            reply = self.ask("watch", "watching", version=__version__, pid=os.getpid(), kernel=here)
            name, ahead, error_s = reply["name"], self._offset.ahead, self._offset.error_s
            if error_s > ERROR_S:
                raise LoadError(
                    f"The clock of the agent on {name} can't be compared: ±{1e3 * error_s:.0f} ms "
                    f"by the shortest round trip, and ±{1e3 * ERROR_S:.0f} ms is allowed."
                )
            self.facts = read(dict[str, Any], reply["facts"])  #: With the target's limits.
            self.is_here = reply["kernel"] == here  #: Whether that is this machine.
            self.seen, self._heard_at = Seen(), monotonic()
            self.agent = Agent(
                name=name, watches=reply["watches"], clock_ahead=ahead, clock_error_s=error_s
            )
            yield self
        finally:
            self.send("drop")

    def readings(self) -> Sequence[Reading]:
        """Those that have come since the last call, by our clock; asks for the next."""
        readings: list[Reading] = []
        with self._losing():
            while not self.agent.lost and (data := self._came()) is not None:
                readings += self._taken(data)
        now = monotonic()
        if readings:
            self._heard_at = now
        elif now - self._heard_at > max(SILENT_S, self.agent.silent_s):
            self.agent = replace(self.agent, silent_s=now - self._heard_at)
        if not self.agent.lost:
            self.send("more", start=self.agent.readings)
        return readings

    def ended(self, window: tuple[float, float]) -> Sequence[Reading]:
        """What is left when the load is over; `seen` and `agent` are whole then."""
        readings: list[Reading] = []
        if self.agent.lost:
            return readings
        begin, end = (moment + self._offset.ahead for moment in window)
        with self._losing():
            self.seen = read(Seen, self.ask("until", "seen", begin=begin, end=end)["seen"])
            while more := self._taken(self.ask("more", "readings", start=self.agent.readings)):
                readings += more
            drift_s = abs(self._clock().ahead - self._offset.ahead)
            self.agent = replace(self.agent, clock_drift_s=drift_s)
        return readings

    def _taken(self, data: Mapping[str, Any]) -> Sequence[Reading]:
        """The readings of a message, once."""
        if data["kind"] != "readings" or data["start"] != self.agent.readings:
            return ()
        theirs, ahead = read(tuple[Reading, ...], data["readings"]), self._offset.ahead
        self.agent = replace(self.agent, readings=self.agent.readings + len(theirs))
        return [replace(one, second=one.second - ahead, part=TARGET) for one in theirs]

    @contextmanager
    def _losing(self) -> Iterator[None]:
        """What goes wrong in the block loses the agent, and what it has told stays."""
        try:
            yield
        except BenchsuiteError as error:
            self.agent = replace(self.agent, lost=str(error))

    def send(self, kind: str, **fields: Any) -> None:
        with suppress(zmq.Again):  # whatever waits to be sent is asked again
            self._socket.send(packed(kind, **fields), zmq.NOBLOCK)

    def _came(self, limit_s: float = 0.0) -> dict[str, Any] | None:
        """The next message within that time, if there is one; raises LoadError for a refusal."""
        if not self._socket.poll(round(1e3 * max(0.0, limit_s))):
            return None
        data = unpacked(self._socket.recv_multipart(), FROM_AGENT)
        if data["kind"] == "refused":
            raise LoadError(data["why"])
        return data

    def ask(
        self, kind: str, wanted: str, *, limit_s: float = ANSWER_S, **fields: Any
    ) -> dict[str, Any]:
        """The answer of that kind; others that were on their way are passed over."""
        self.send(kind, **fields)
        known, deadline = {"kind": wanted, **fields}, monotonic() + limit_s
        while (data := self._came(deadline - monotonic())) is not None:
            if all(data.get(name) == known.get(name) for name in ("kind", "number", "start")):
                return data
        raise LoadError(f"Nothing was heard from the agent at {self._address} for {limit_s:g} s.")

    def _clock(self) -> Offset:
        exchanges: list[Exchange] = []
        for number in range(EXCHANGES):
            sent, answer = monotonic(), self.ask("clock", "clock", number=number)
            exchanges.append((sent, answer["at"], monotonic()))
        return offset(exchanges)


@contextmanager
def connected(place: Listening) -> Iterator[Watching]:
    """An agent that answers there; raises UnavailableError where none does."""
    context = zmq.Context()
    try:
        yield Watching(place, context)
    finally:
        context.destroy(linger=round(1e3 * SENT_S))
