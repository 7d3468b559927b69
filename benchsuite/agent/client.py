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
from benchsuite.core.plain import parsed, read
from benchsuite.core.readings import TARGET
from benchsuite.core.results import Reading
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.hosts.wire import MOST_BYTES, Exchange, Offset, offset

ANSWER_S = 5.0  #: How long any answer may take.
SILENT_S = 3.0  #: Readings come every second; longer than that is silence.
EXCHANGES = 64  #: To compare clocks, before and after a load.
ERROR_S = 0.05  #: How inexact that may be: readings are of a second.
SENT_MS = 200  #: ZeroMQ sends on a thread of its own.


class Watching:
    """An agent, for all runs of a command; from a load on nothing that it tells is an error."""

    def __init__(self, place: Listening, context: zmq.Context[Any]) -> None:
        self._address, key = f"{place.host}:{place.port}", keys.read(place.key_file)
        self._socket = context.socket(zmq.DEALER)
        self._socket.curve_publickey, self._socket.curve_secretkey = key.public, key.secret
        self._socket.curve_serverkey = key.public
        self._socket.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        self._socket.setsockopt(zmq.IDENTITY, secrets.token_hex(16).encode())
        self._socket.ipv6 = keys.only_by_ipv6(place.host)
        self._meet()

    def _meet(self) -> None:
        """Waits until both have shown their keys; UnavailableError where that fails."""
        with self._socket.get_monitor_socket() as events:
            self._socket.connect(f"tcp://{self._address}")
            deadline = monotonic() + ANSWER_S
            event = None
            while event != zmq.Event.HANDSHAKE_SUCCEEDED:
                if event in keys.REFUSED:
                    raise UnavailableError(
                        f"The agent at {self._address} has another key: copy its key file to this "
                        "machine."
                    )
                if not events.poll(max(0, round(1e3 * (deadline - monotonic())))):
                    raise UnavailableError(
                        f"No agent answers at {self._address}: start it there by `manage.py "
                        "benchagent --listen HOST:PORT --key-file FILE`."
                    )
                event = recv_monitor_message(events)["event"]
            self._socket.disable_monitor()

    @contextmanager
    def run(self) -> Iterator[Self]:
        """In the block it watches a run; raises BenchsuiteError where it can't."""
        try:
            self._begin()
            yield self
        finally:
            self.send("drop")

    def _begin(self) -> None:
        while self._socket.poll(0):  # what came too late for an earlier run
            self._socket.recv_multipart()
        self._offset = self._clock()
        own: dict[str, Any] = {"version": __version__, "pid": os.getpid(), "kernel": kernel()}
        reply = self.ask("watch", "watching", **own)
        name, error_s = str(reply["name"]), self._offset.error_s
        if error_s > ERROR_S:
            raise LoadError(
                f"The clock of the agent on {name} can't be compared: ±{1e3 * error_s:.0f} ms by "
                f"the shortest round trip, and ±{1e3 * ERROR_S:.0f} ms is allowed."
            )
        self.facts: Mapping[str, Any] = read(dict[str, Any], parsed(reply["facts"]))
        """Of its machine, with the limits of the target."""
        self.is_here = reply["kernel"] == own["kernel"]  #: Whether that is this machine.
        self.seen, self._heard_at = Seen(), monotonic()
        self.agent = Agent(
            name=name,
            watches=str(reply["watches"]),
            clock_ahead=self._offset.ahead,
            clock_error_s=error_s,
        )

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
            seen = self.ask("until", "seen", begin=begin, end=end)
            self.seen = read(Seen, parsed(seen["seen"]))
            more: Sequence[Reading] | None = None
            while more is None or more:
                data = self.ask("more", "readings", start=self.agent.readings)
                more = self._taken(data)
                readings += more
            drift_s = abs(self._clock().ahead - self._offset.ahead)
            self.agent = replace(self.agent, clock_drift_s=drift_s)
        return readings

    def _taken(self, data: Mapping[str, Any]) -> Sequence[Reading]:
        """The readings of a message, once."""
        if data["kind"] != "readings" or data["start"] != self.agent.readings:
            return ()
        readings = read(tuple[Reading, ...], parsed(data["readings"]))
        self.agent = replace(self.agent, readings=self.agent.readings + len(readings))
        ahead = self._offset.ahead
        return [
            replace(reading, second=reading.second - ahead, part=TARGET) for reading in readings
        ]

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
        known = {"kind": wanted, **fields}
        deadline = monotonic() + limit_s
        while (data := self._came(deadline - monotonic())) is not None:
            if all(data.get(name) == known.get(name) for name in ("kind", "number", "start")):
                return data
        raise LoadError(f"Nothing was heard from the agent at {self._address} for {limit_s:g} s.")

    def _clock(self) -> Offset:
        exchanges: list[Exchange] = []
        for number in range(EXCHANGES):
            sent = monotonic()
            at = self.ask("clock", "clock", number=number)["at"]
            exchanges.append((sent, at, monotonic()))
        return offset(exchanges)


@contextmanager
def connected(place: Listening) -> Iterator[Watching]:
    """An agent that answers there; raises UnavailableError where none does."""
    context = zmq.Context()
    try:
        yield Watching(place, context)
    finally:
        context.destroy(linger=SENT_MS)
