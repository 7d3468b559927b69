"""Locust's sockets with ZeroMQ's CURVE: no byte of a message is read from who hasn't the key."""

from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar

import gevent
import msgpack
import zmq.green as zmq
from locust.rpc import Message, zmqrpc
from zmq.utils.monitor import recv_monitor_message

from benchsuite.load.hosts.keys import ZAP, admission, secure
from benchsuite.load.hosts.wire import MOST_BYTES, OURS

LONGEST_NAME = 300
TO_MASTER, TO_HOST = ("client_ready", "heartbeat", OURS), ("ack", "heartbeat", OURS)
"""Types of messages that are taken; Locust's others are of no use here."""


heard_at: dict[str, float] = {}
"""Name of a host, or "" for the master → when something came from it."""


class Ends(zmqrpc.BaseSocket):
    """What master and host have in common: their key, and what befalls their connections."""

    key: ClassVar[bytes]
    on_connection: ClassVar[Callable[[zmq.Event], None]]

    def __init__(self, kind: int, host: str) -> None:
        super().__init__(kind, ipv4_only=True)  # `secure()` says otherwise where it must
        secure(self.socket, self.key, host, MOST_BYTES + 100_000)
        gevent.spawn(self._watch, self.socket.get_monitor_socket())

    def _watch(self, events: Any) -> None:
        while True:
            Ends.on_connection(zmq.Event(recv_monitor_message(events)["event"]))


class Server(Ends):
    """The master's end."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(zmq.ROUTER, host)
        asked = self.socket.context.socket(zmq.REP)
        asked.bind(ZAP)
        gevent.spawn(self._admit, asked)
        self.socket.bind(f"tcp://{host}:{port}")

    def _admit(self, asked: Any) -> None:
        while True:
            asked.send_multipart(admission(asked.recv_multipart(), self.key))

    def recv_from_client(self) -> tuple[str, Message]:
        while True:
            address, *data = self.socket.recv_multipart()
            name = address.decode(errors="replace")
            message = _message(data, TO_MASTER)
            if message is not None and message.node_id == name:
                heard_at[name] = monotonic()
                return name, message


class Client(Ends):
    """A host's end."""

    def __init__(self, host: str, port: int, identity: str) -> None:
        super().__init__(zmq.DEALER, host)
        self.socket.setsockopt(zmq.IDENTITY, identity.encode())
        self.socket.connect(f"tcp://{host}:{port}")

    def recv(self) -> Message:
        while True:
            if (message := _message(self.socket.recv_multipart(), TO_HOST)) is not None:
                heard_at[""] = monotonic()
                return message


def use(key: bytes, on_connection: Callable[[zmq.Event], None]) -> None:
    """From now on Locust's runners speak by these sockets."""
    Ends.key, Ends.on_connection = key, on_connection
    zmqrpc.Server, zmqrpc.Client = Server, Client  # type: ignore[misc, assignment]


def _message(data: list[bytes], types: tuple[str, ...]) -> Message | None:
    """As Locust reads one; None for what is none. Nothing is made of it but plain values."""
    try:
        parts = msgpack.unpackb(b"".join(data), raw=False)
    except (ValueError, msgpack.UnpackException):
        return None
    if not isinstance(parts, list) or len(parts) != 3:
        return None
    kind, content, name = parts
    if kind not in types or not isinstance(name, str) or len(name) > LONGEST_NAME:
        return None
    return Message(kind, content, name)
