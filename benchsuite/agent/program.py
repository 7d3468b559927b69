"""The agent: answers one command at a time, until it is told to end."""

import json
import os
import socket
from collections.abc import Callable, Collection
from contextlib import ExitStack
from time import monotonic
from typing import Any

import zmq

from benchsuite import __version__
from benchsuite.agent.messages import FROM_COMMAND, kernel, packed, unpacked
from benchsuite.agent.target import Target
from benchsuite.core.exceptions import BenchsuiteError, LoadError, UsageError
from benchsuite.core.observations import Seen
from benchsuite.core.plain import plain
from benchsuite.core.readings import TARGET
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.wire import MOST_BYTES
from benchsuite.load.parent.hosts import Listening
from benchsuite.system.fingerprint import fingerprint
from benchsuite.system.procfs import command_line, read_bytes, read_stat
from benchsuite.telemetry.census import Census
from benchsuite.telemetry.devices import Scheduling, Speed, affinity
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.sampler import DEVICES, Sampler

LOOK_MS = 100
MOST_READINGS = 1000  #: In one message.
FORGOTTEN_S = 60.0  #: A command that has said nothing for so long has no load that is watched.


class Watch:
    """The telemetry of a target, from before a load until after it."""

    def __init__(self, target: Target, beside: Collection[int]) -> None:
        """`beside` are processes that load it from here, with what comes from them."""
        self.census = Census(target.pids)
        self.census()
        if not self.census.last:
            where = f"{target.words} on {socket.gethostname()}"
            raise LoadError(
                f"The agent sees nothing of {where}: start that first; who owns a port only root "
                "and its user see."
            )
        self.host = Host(lambda: (*self.census.last, *beside), cpus=os.cpu_count() or 1)
        self.sampler = Sampler(
            {TARGET: self.census},
            also=(self.host.look,),
            service_probes={TARGET: self.host},
            devices=(*DEVICES, Speed, Scheduling),
        )
        self.facts = fingerprint(self.census.last[0])
        self._stack = ExitStack()
        self._stack.enter_context(self.census.looking_closely())
        self._stack.callback(self.sampler.stop)
        self.sampler.start()

    def seen(self, begin: float, end: float) -> Seen:
        """All of a load whose last answer has come."""
        self.census.load_ended()
        errors = self.sampler.stop().errors
        pids = self.census()
        self.host.look()
        hidden = (pid for pid in pids if read_bytes(f"/proc/{pid}/smaps_rollup") is None)
        if (pid := next(hidden, None)) is not None and read_stat(pid) is not None:
            whose = command_line(pid)[:100] or f"process {pid}"
            user = "which is another user's: run the agent as root or as that user"
            errors = (*errors, f"memory and open files of {whose}, {user}")
        return Seen(
            turnover=self.census.turnover(begin, end),
            host=self.host.shares(begin, end),
            cpus=tuple(sorted(affinity(pids) or ())),
            busy_after_percent=self.census.busy_after(),
            errors=errors,
        )

    def close(self) -> None:
        self._stack.close()


class Agent:
    """What it watches, and for whom."""

    def __init__(self, target: Target, write: Callable[[str], None]) -> None:
        self._target, self.say = target, write
        self._watch: Watch | None = None
        self._client, self._heard_at = b"", 0.0

    def answer(self, client: bytes, frames: list[bytes], at: float) -> bytes | None:
        """To a message that came at that moment; None where it wants none."""
        try:
            data = unpacked(frames, FROM_COMMAND)
            kind = data["kind"]
            if kind == "clock":
                return packed("clock", number=data["number"], at=at)
            if kind == "watch":
                return self._begun(client, data)
            if client != self._client or self._watch is None:
                raise LoadError("The agent watches nothing for this command; was it started again?")
            self._heard_at = at
            if kind == "more":
                readings = self._watch.sampler.since(data["start"])[:MOST_READINGS]
                return packed("readings", start=data["start"], readings=json.dumps(plain(readings)))
            if kind == "until":
                seen = self._watch.seen(data["begin"], data["end"])
                return packed("seen", seen=json.dumps(plain(seen)))
            self.end()
        except BenchsuiteError as error:
            return packed("refused", why=str(error))
        return None

    def _begun(self, client: bytes, data: dict[str, Any]) -> bytes:
        name, its = socket.gethostname(), data["version"]
        if its != __version__:
            raise LoadError(
                f"The agent on {name} has benchsuite {__version__}, and the command {its}: install "
                "the same."
            )
        if self._watch is not None and client != self._client:
            raise LoadError(f"The agent on {name} watches for another command: wait for its end.")
        self.end()
        beside = (data["pid"],) if data["kernel"] == kernel() else ()
        self._watch, self._client, self._heard_at = Watch(self._target, beside), client, monotonic()
        self.say(f"Watching {self._target.words}.")
        return packed(
            "watching",
            name=name,
            watches=self._target.words,
            kernel=kernel(),
            facts=json.dumps(self._watch.facts),
        )

    def look(self) -> None:
        """Ends what is watched for who has gone without a word."""
        if monotonic() - self._heard_at > FORGOTTEN_S:
            self.end()

    def end(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
            self.say("Watched until now.")


def serve(place: Listening, agent: Agent) -> None:
    """Answers at that place, and nobody without the key, until it is interrupted."""
    key, context = keys.read(place.key_file), zmq.Context()
    try:
        asked, server = context.socket(zmq.REP), context.socket(zmq.ROUTER)
        asked.bind(keys.ZAP)
        server.curve_publickey, server.curve_secretkey = key.public, key.secret
        server.curve_server, server.zap_domain = True, b"benchsuite"
        server.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        server.setsockopt(zmq.ROUTER_HANDOVER, 1)  # who was cut off may come again
        server.ipv6 = "[" in place.host
        try:
            server.bind(f"tcp://{place.host}:{place.port}")
        except zmq.ZMQError as error:
            raise UsageError(
                f"The agent can't listen on {place.host}:{place.port}: {error}; --listen is an "
                "address of this machine, with a port that is free."
            ) from error
        agent.say(f"The agent listens on {place.host}:{place.port}.")
        poller = zmq.Poller()
        for one in (asked, server):
            poller.register(one, zmq.POLLIN)
        while True:
            ready = dict(poller.poll(LOOK_MS))
            at = monotonic()
            if asked in ready:
                asked.send_multipart(keys.admission(asked.recv_multipart(), key))
            if server in ready:
                client, *frames = server.recv_multipart()
                if (answer := agent.answer(client, frames, at)) is not None:
                    server.send_multipart([client, answer])
            agent.look()
    finally:
        agent.end()
        context.destroy(linger=0)
