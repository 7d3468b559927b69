"""The agent: answers one command at a time, until it is told to end."""

import os
import socket
from collections.abc import Callable, Collection
from subprocess import SubprocessError
from time import monotonic
from typing import Any

import zmq

from benchsuite import __version__
from benchsuite.agent.messages import FROM_COMMAND, NOBODY, kernel, packed, unpacked
from benchsuite.agent.starting import Started
from benchsuite.agent.target import Target
from benchsuite.core.exceptions import BenchsuiteError, LoadError, UsageError
from benchsuite.core.observations import Seen
from benchsuite.core.plain import read
from benchsuite.core.readings import TARGET
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.hosts.wire import MOST_BYTES
from benchsuite.system.fingerprint import fingerprint
from benchsuite.system.procfs import command_line, read_bytes, read_stat
from benchsuite.telemetry.devices import Scheduling, Speed, affinity
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.sampler import DEVICES, Census, Sampler

SILENT_S = 3.5  #: For so long one that has something started may say nothing.
FORGOTTEN_S = 60.0  #: A command that has said nothing for so long has no load that is watched.


class Watch:
    """The telemetry of a target, from before a load until after it."""

    def __init__(self, target: Target, beside: Collection[int]) -> None:
        """`beside` are processes that load it from here, with what comes from them."""
        self.census = census = Census(target.pids)
        if not census():
            raise LoadError(
                f"The agent sees nothing of {target.words or 'any target'} on "
                f"{socket.gethostname()}: start that first; who owns a port only root and its user "
                "see."
            )
        self.host = host = Host(lambda: (*census.last, *beside), cpus=os.cpu_count() or 1)
        devices = (*DEVICES, Speed, Scheduling)
        self.sampler = Sampler(
            {TARGET: census}, also=(host.look,), service_probes={TARGET: host}, devices=devices
        )
        self.facts = fingerprint(census.last[0])
        self.sampler.start()

    def answer(self, data: dict[str, Any]) -> bytes:
        """To what a command asks in the load, and when it is over."""
        if data["kind"] == "more":
            readings = self.sampler.since(data["start"])[:1000]  # in one message
            return packed("readings", start=data["start"], readings=readings)
        if data["kind"] != "until":
            raise LoadError("The agent has started nothing.")
        window = data["begin"], data["end"]
        errors = self.sampler.stop().errors
        pids = self.census()
        self.host.look()
        hidden = (pid for pid in pids if read_bytes(f"/proc/{pid}/smaps_rollup") is None)
        if (pid := next(hidden, None)) is not None and read_stat(pid) is not None:
            whose = command_line(pid)[:100] or f"process {pid}"
            user = "which is another user's: run the agent as root or as that user"
            errors = (*errors, f"memory and open files of {whose}, {user}")
        turnover, host = self.census.turnover(*window), self.host.shares(*window)
        cpus = tuple(sorted(affinity(pids) or ()))
        seen = Seen(turnover=turnover, host=host, cpus=cpus, errors=errors)
        return packed("seen", seen=seen)

    def close(self) -> None:
        self.sampler.stop()


class Agent:
    """What it watches or has started, and for whom."""

    def __init__(
        self, target: Target, write: Callable[[str], None], may_start: Listening | None = None
    ) -> None:
        """`may_start` is where it listens, if it may start servers."""
        self._target, self.say, self._may_start = target, write, may_start
        self._work: Watch | Started | None = None
        self._client, self._heard_at = b"", 0.0

    def answer(self, client: bytes, frames: list[bytes], at: float) -> bytes | None:
        """To a message that came at that moment; None where it wants none."""
        try:
            data = unpacked(frames, FROM_COMMAND)
            kind, name = data["kind"], socket.gethostname()
            if kind == "clock":
                return packed("clock", number=data["number"], at=at)
            answer: bytes | None
            work = self._work if client == self._client else None
            if kind == "drop":  # one that was refused sends it, too
                if work is not None:
                    self.end()
                return None
            if kind in ("watch", "run"):
                if (its := data["version"]) != __version__:
                    raise LoadError(
                        f"The agent on {name} has benchsuite {__version__}, and the command {its}: "
                        "install the same."
                    )
                if self._work is not work:
                    raise LoadError(f"The agent on {name} works for another command: wait for it.")
                self.end()
                self._client = client
                answer = self._watching(data, name) if kind == "watch" else self._running(data)
            elif work is None:
                raise LoadError("The agent does nothing for this command; was it started again?")
            else:
                answer = work.answer(data)
            self._heard_at = monotonic()
            return answer
        # numbers beyond all bounds, and words that no command line takes, are refused, too
        except (BenchsuiteError, OSError, SubprocessError, ValueError, OverflowError) as error:
            return packed("refused", why=str(error))

    def _watching(self, data: dict[str, Any], name: str) -> bytes:
        words, here = self._target.words, kernel()
        self._work = watch = Watch(self._target, (data["pid"],) if data["kernel"] == here else ())
        self.say(f"Watching {words}.")
        return packed("watching", name=name, watches=words, kernel=here, facts=watch.facts)

    def _running(self, data: dict[str, Any]) -> bytes:
        if (place := self._may_start) is None:
            raise LoadError("The agent may start nothing: give it --may-start, or take --target.")
        words, port = read(list[str], data["words"]), place.port + 1
        words += ["--load-hosts=1", f"--listen={place.host}:{port}", f"--bind={place.host}"]
        words += [f"--key-file={place.key_file}", f"--agent={NOBODY}"]
        self._work = Started(data["name"], words)
        self.say(f"Started {data['name']}.")
        return packed("running", port=port)

    def look(self) -> None:
        """Ends what is done for who has gone without a word."""
        limit_s = SILENT_S if isinstance(self._work, Started) else FORGOTTEN_S
        if self._work is not None and monotonic() - self._heard_at > limit_s:
            self.say("Nothing is heard from the command any more.")
            self.end()

    def end(self) -> None:
        if self._work is not None:
            self._work.close()
            self._work = None
            self.say("Done.")


def serve(place: Listening, agent: Agent) -> None:
    """Answers at that place, and nobody without the key, until it is interrupted."""
    key, context = keys.read(place.key_file), zmq.Context()
    try:
        admitting, server = context.socket(zmq.REP), context.socket(zmq.ROUTER)
        admitting.bind(keys.ZAP)
        server.curve_publickey, server.curve_secretkey = key.public, key.secret
        server.curve_server, server.zap_domain = True, b"benchsuite"
        server.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        server.setsockopt(zmq.ROUTER_HANDOVER, 1)  # who was cut off may come again
        server.ipv6 = keys.only_by_ipv6(place.host)
        try:
            server.bind(f"tcp://{place.host}:{place.port}")
        except zmq.ZMQError as error:
            raise UsageError(
                f"The agent can't listen on {place.host}:{place.port}: {error}; --listen is an "
                "address of this machine, with a port that is free."
            ) from error
        agent.say(f"The agent listens on {place.host}:{place.port}.")
        while True:
            ready, _, _ = zmq.select([admitting, server], [], [], 0.1)
            at = monotonic()
            if admitting in ready:
                admitting.send_multipart(keys.admission(admitting.recv_multipart(), key))
            if server in ready:
                client, *frames = server.recv_multipart()
                if (answer := agent.answer(client, frames, at)) is not None:
                    server.send_multipart([client, answer])
            agent.look()
    finally:
        agent.end()
        context.destroy(linger=0)
