"""The relay of load hosts: a process of its own, as Locust patches the interpreter.

    python -m benchsuite.load.hosts.relay EVENTS HOST PORT KEY-FILE

Hosts are joined to its parent (`benchsuite.load.hosts.master`) through Locust's MasterRunner. It
passes their messages on (`benchsuite.load.hosts.wire`) and knows nothing of what they are about:

    parent → {"to", "kind", …}                  a message to a host
    relay → {"event": "ready"}                  it listens
          | {"event": "failed", "message"}      it can't
    relay → {"event": "message", "host", "kind", …}
                                                of a host; a clock with when it was asked
    relay → {"event": "heard", "at"}            when something came from each host, again and again
    relay → {"event": "stranger"}               somebody without the key was refused, for the first
                                                time
"""

from benchsuite.load.process import patching  # noqa: F401  # isort: skip - before everything else

import base64
import json
import logging
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import gevent
import zmq
from gevent.lock import BoundedSemaphore
from locust.env import Environment

from benchsuite.core.exceptions import BenchsuiteError, LoadError
from benchsuite.load.hosts import keys, sockets
from benchsuite.load.hosts.wire import FROM_HOST, OURS, SENT_S, checked
from benchsuite.load.process.worker import Parent, bound_to_parent

HEARD_S = 0.1  #: How often it is told when something came from each host.


class Relay(Parent):
    """Between the pipes of the parent and the sockets of Locust's runner."""

    def __init__(self, events: int) -> None:
        self._lock = BoundedSemaphore()
        self._refused = False
        self._asked: dict[tuple[str, int], float] = {}  #: When a host was asked for its clock.
        super().__init__(events)

    def say(self, event: dict[str, Any]) -> None:
        with self._lock:  # a long message is written in pieces
            super().say(event)

    def listen(self, host: str, port: int) -> None:
        self._runner = Environment(user_classes=[]).create_master_runner(host, port)
        self._runner.register_message(OURS, self._on_message)

    def on_connection(self, event: zmq.Event) -> None:
        if event in keys.REFUSED and not self._refused:
            self._refused = True
            self.say({"event": "stranger"})

    def take(self, line: bytes) -> None:
        message = json.loads(line)
        name = message.pop("to")
        if message["kind"] == "clock":
            self._asked[name, message["number"]] = monotonic()
        self._runner.send_message(OURS, message, name)

    def closed(self) -> NoReturn:
        """The command has ended: each host is told."""
        for name in sockets.heard_at:
            self._runner.send_message(OURS, {"kind": "bye"}, name)
        gevent.sleep(SENT_S)
        os._exit(0)

    def _on_message(self, environment: Environment, msg: Any, **_: Any) -> None:
        """A message of a host, which Locust's listener hands over one by one."""
        received = monotonic()
        try:
            data = dict(checked(msg.data, FROM_HOST))
        except LoadError as error:
            data = {"kind": "leave", "why": f"it sent what can't be understood ({error})"}
        if data["kind"] == "clock":
            sent = self._asked.pop((msg.node_id, data["number"]), received)
            data |= {"sent": sent, "received": received}
        elif "packed" in data:
            data["packed"] = base64.b64encode(data["packed"]).decode()
        self.say({"event": "message", "host": msg.node_id, **data})


def main(events: int, host: str, port: int, key_file: str) -> NoReturn:
    bound_to_parent()
    logging.basicConfig(level=logging.WARNING)
    relay = Relay(events)
    try:
        sockets.use(keys.read(Path(key_file)), relay.on_connection)
        relay.listen(host, port)
    except (BenchsuiteError, zmq.ZMQError) as error:
        why = f"The master of load hosts can't listen on {host}:{port}: {error}."
        relay.say({"event": "failed", "message": why})
        os._exit(1)
    relay.say({"event": "ready"})
    while True:
        gevent.sleep(HEARD_S)
        relay.say({"event": "heard", "at": sockets.heard_at})


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4])
