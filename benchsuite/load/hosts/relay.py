"""The relay of load hosts: a process of its own, which has time for them whatever its parent does.

    python -m benchsuite.load.hosts.relay EVENTS HOST PORT KEY-FILE

It passes messages on between its parent (`benchsuite.load.hosts.master`) and the hosts
(`benchsuite.load.hosts.wire`), and knows nothing of what they are about:

    parent → {"to", "kind", …}                  a message to a host
    relay → {"event": "ready"}                  it listens
          | {"event": "failed", "message"}      it can't
    relay → {"event": "message", "host", "received", "kind", …}
                                                of a host, and when it came; a clock with when it
                                                was asked
    relay → {"event": "stranger"}               somebody without the key was refused, for the first
                                                time
"""

import base64
import json
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import zmq
from zmq.utils.monitor import recv_monitor_message

from benchsuite.core.exceptions import BenchsuiteError, LoadError
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.wire import FROM_HOST, SENT_S, packed, secured, unpacked


class Relay:
    """Between the pipes of the parent and the socket of the hosts."""

    def __init__(self, events: int) -> None:
        self._events = os.fdopen(events, "w", buffering=1)
        self._unfinished = b""  #: The begin of an order.
        self._asked: dict[tuple[str, int], float] = {}  #: When a host was asked for its clock.

    def say(self, event: str, **fields: Any) -> None:
        self._events.write(json.dumps({"event": event, **fields}) + "\n")

    def listen(self, host: str, port: int, key: keys.Key) -> None:
        self._key, context = key, zmq.Context()
        self._admitting = context.socket(zmq.REP)
        self._admitting.bind(keys.ZAP)
        self._hosts = secured(context, zmq.ROUTER, key, host)
        self._hosts.curve_server, self._hosts.zap_domain = True, b"benchsuite"
        self._hosts.setsockopt(zmq.ROUTER_HANDOVER, 1)  # who was cut off may come again
        self._connections = self._hosts.get_monitor_socket()
        self._hosts.bind(f"tcp://{host}:{port}")

    def serve(self) -> None:
        """Until the parent is gone."""
        poller, refused = zmq.Poller(), False
        for source in (0, self._admitting, self._hosts, self._connections):
            poller.register(source, zmq.POLLIN)
        is_there = True
        while is_there:
            ready = dict(poller.poll())
            at = monotonic()
            if self._admitting in ready:
                request = self._admitting.recv_multipart()
                self._admitting.send_multipart(keys.admission(request, self._key))
            if self._connections in ready:
                event = recv_monitor_message(self._connections)["event"]
                if event in keys.REFUSED and not refused:
                    refused = True
                    self.say("stranger")
            if self._hosts in ready:
                self._pass_on(at)
            if 0 in ready:
                is_there = self._obey()
        self._hosts.context.destroy(linger=round(1e3 * SENT_S))

    def _obey(self) -> bool:
        """Sends what the parent wants to be sent; whether it is still there."""
        block = os.read(0, 65_536)
        *lines, self._unfinished = (self._unfinished + block).split(b"\n")
        for line in lines:
            message = json.loads(line)
            name = message.pop("to")
            if message["kind"] == "clock":
                self._asked[name, message["number"]] = monotonic()
            self._send(name, **message)
        return bool(block)

    def _send(self, name: str, kind: str, **fields: Any) -> None:
        self._hosts.send_multipart([name.encode(), packed(kind, **fields)])

    def _pass_on(self, received: float) -> None:
        """The next message of a host."""
        address, *frames = self._hosts.recv_multipart()
        name = address.decode(errors="replace")
        try:
            data = unpacked(frames, FROM_HOST)
        except LoadError as error:
            data = {"kind": "leave", "why": f"it sent what can't be understood ({error})"}
        if data["kind"] in ("join", "alive"):
            self._send(name, "alive")
        if data["kind"] == "clock":
            data["sent"] = self._asked.pop((name, data["number"]), received)
        elif "packed" in data:
            data["packed"] = base64.b64encode(data["packed"]).decode()
        self.say("message", host=name, received=received, **data)


def main(events: int, host: str, port: int, key_file: str) -> None:
    relay = Relay(events)
    try:
        relay.listen(host, port, keys.read(Path(key_file)))
    except (BenchsuiteError, zmq.ZMQError) as error:
        why = f"The master of load hosts can't listen on {host}:{port}: {error}."
        relay.say("failed", message=why)
        return
    relay.say("ready")
    relay.serve()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4])
