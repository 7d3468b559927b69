"""A command's side of an agent: asks what it sees, and goes on without it where it is lost."""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count, islice
from time import monotonic
from typing import Any

import zmq
from zmq.utils.monitor import recv_monitor_message

from benchsuite import __version__
from benchsuite.agent.messages import FROM_AGENT, kernel, packed, unpacked
from benchsuite.core import observations
from benchsuite.core.exceptions import BenchsuiteError, LoadError, StartError, UnavailableError
from benchsuite.core.observations import Seen
from benchsuite.core.plain import parsed, read
from benchsuite.core.readings import TARGET
from benchsuite.core.results import Reading
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.wire import MOST_BYTES, Exchange, Offset, offset
from benchsuite.load.parent.hosts import Listening

ANSWER_S = 5.0  #: How long any answer may take.
SILENT_S = 3.0  #: Readings come every second; longer than that is silence.
EXCHANGES = 64  #: To compare clocks, before and after a load.
ERROR_S = 0.05  #: How inexact that may be: readings are of a second.
SENT_MS = 200  #: ZeroMQ sends on a thread of its own.


class Connection:
    """The way to an agent, for all runs of a command."""

    def __init__(self, place: Listening, context: zmq.Context[Any]) -> None:
        self._address, key = f"{place.host}:{place.port}", keys.read(place.key_file)
        self._socket = context.socket(zmq.DEALER)
        self._socket.curve_publickey, self._socket.curve_secretkey = key.public, key.secret
        self._socket.curve_serverkey = key.public
        self._socket.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        self._socket.setsockopt(zmq.IDENTITY, secrets.token_bytes(16).replace(b"\0", b"-"))
        self._socket.ipv6 = "[" in place.host
        events = self._socket.get_monitor_socket()
        self._socket.connect(f"tcp://{self._address}")
        try:
            self._meet(events)
        finally:
            self._socket.disable_monitor()
            events.close()
        self.greet()

    def greet(self) -> None:
        """Tells who asks, and learns who answers; raises LoadError where they don't fit."""
        own = {"version": __version__, "pid": os.getpid(), "kernel": kernel()}
        hello = self.ask("hello", wanted="hello", **own)
        self.name, self.watches = str(hello["name"]), str(hello["watches"])
        self.is_here = hello["kernel"] == own["kernel"]  #: Whether it is on this machine.

    def _meet(self, events: zmq.Socket[Any]) -> None:
        """Waits until both have shown their keys; UnavailableError where that fails."""
        deadline = monotonic() + ANSWER_S
        while events.poll(max(0, round(1e3 * (deadline - monotonic())))):
            event = recv_monitor_message(events)["event"]
            if event == zmq.Event.HANDSHAKE_SUCCEEDED:
                return
            if event in keys.REFUSED:
                raise UnavailableError(
                    f"The agent at {self._address} has another key: copy its key file to this "
                    "machine."
                )
        raise UnavailableError(
            f"No agent answers at {self._address}: start it there by `manage.py benchagent "
            "--listen HOST:PORT --key-file FILE`."
        )

    def send(self, kind: str, **fields: Any) -> None:
        with suppress(zmq.Again):  # whatever waits to be sent is asked again
            self._socket.send(packed(kind, **fields), zmq.NOBLOCK)

    def came(self, limit_s: float = 0.0) -> dict[str, Any] | None:
        """The next message within that time, if there is one; raises LoadError for a refusal."""
        if not self._socket.poll(round(1e3 * max(0.0, limit_s))):
            return None
        data = unpacked(self._socket.recv_multipart(), FROM_AGENT)
        if data["kind"] == "refused":
            raise LoadError(data["why"])
        return data

    def ask(self, kind: str, *, wanted: str, **fields: Any) -> dict[str, Any]:
        """The answer of that kind; others that were on their way are passed over."""
        self.send(kind, **fields)
        deadline = monotonic() + ANSWER_S
        while (data := self.came(deadline - monotonic())) is not None:
            if data["kind"] == wanted and data.get("number") == fields.get("number"):
                return data
        raise LoadError(f"Nothing was heard from the agent at {self._address} for {ANSWER_S:g} s.")

    def clock(self) -> Offset:
        """Its clock against ours."""
        exchanges: list[Exchange] = []
        for number in islice(count(1), EXCHANGES):
            sent = monotonic()
            at = self.ask("clock", wanted="clock", number=number)["at"]
            exchanges.append((sent, at, monotonic()))
        return offset(exchanges)


class Watching:
    """What an agent tells of the target in one run; from the load on nothing is raised."""

    def __init__(self, connection: Connection) -> None:
        connection.greet()
        self._connection, self._offset = connection, connection.clock()
        if self._offset.error_s > ERROR_S:
            raise LoadError(
                f"The clock of the agent on {connection.name} can't be compared: ±"
                f"{1e3 * self._offset.error_s:.0f} ms by the shortest round trip, and ±"
                f"{1e3 * ERROR_S:.0f} ms is allowed."
            )
        try:
            watching = connection.ask("watch", wanted="watching")
        except LoadError as error:
            raise StartError(str(error)) from error
        self.facts: Mapping[str, Any] = read(dict[str, Any], parsed(watching["facts"]))
        """Of its machine, with the limits of the target."""
        self.is_here = connection.is_here  #: Whether that is this machine.
        self.seen = Seen()
        self.agent = observations.Agent(
            name=connection.name,
            watches=connection.watches,
            clock_ahead=self._offset.ahead,
            clock_error_s=self._offset.error_s,
        )
        self._heard_at = monotonic()

    def readings(self) -> Sequence[Reading]:
        """Those that have come since the last call, by our clock; asks for the next."""
        readings: list[Reading] = []
        with self._losing():
            while not self.agent.lost and (data := self._connection.came()) is not None:
                readings += self._taken(data)
        if not self.agent.lost:
            now = monotonic()
            silent_s = 0.0 if readings else now - self._heard_at
            if readings:
                self._heard_at = now
            if silent_s > max(SILENT_S, self.agent.silent_s):
                self.agent = replace(self.agent, silent_s=silent_s)
            self._connection.send("more", start=self.agent.readings)
        return readings

    def ended(self, window: tuple[float, float]) -> Sequence[Reading]:
        """What is left when the load is over; `seen` and `agent` are whole then."""
        if self.agent.lost:
            return ()
        begin, end = (moment + self._offset.ahead for moment in window)
        readings: list[Reading] = []
        with self._losing():
            seen = self._connection.ask("until", wanted="seen", begin=begin, end=end)
            self.seen = read(Seen, parsed(seen["seen"]))
            while True:
                start = self.agent.readings
                data = self._connection.ask("more", wanted="readings", start=start)
                if not (more := self._taken(data)):
                    break
                readings += more
            drift_s = abs(self._connection.clock().ahead - self._offset.ahead)
            self.agent = replace(self.agent, clock_drift_s=drift_s)
        return readings

    def _taken(self, data: Mapping[str, Any]) -> Sequence[Reading]:
        """The readings of a message, once."""
        if data["kind"] != "readings" or data["start"] != self.agent.readings:
            return ()
        readings = read(tuple[Reading, ...], parsed(data["readings"]))
        self.agent = replace(self.agent, readings=self.agent.readings + len(readings))
        ahead = self._offset.ahead
        return [replace(one, second=one.second - ahead, part=TARGET) for one in readings]

    @contextmanager
    def _losing(self) -> Iterator[None]:
        """What goes wrong in the block loses the agent, and what it has told stays."""
        try:
            yield
        except BenchsuiteError as error:
            self.agent = replace(self.agent, lost=str(error))


@contextmanager
def connected(place: Listening) -> Iterator[Connection]:
    """An agent that answers there; raises UnavailableError or LoadError where none does."""
    context = zmq.Context()
    try:
        yield Connection(place, context)
    finally:
        context.destroy(linger=SENT_MS)


@contextmanager
def watching(connection: Connection) -> Iterator[Watching]:
    """In the block it watches; raises BenchsuiteError where it can't."""
    try:
        yield Watching(connection)
    finally:
        connection.send("drop")
