"""The agent: watches a target or starts a command for one at a time, until it is told to end."""

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import zmq

from benchsuite import __version__
from benchsuite.agent.messages import FROM_COMMAND, NOBODY, kernel, packed, unpacked
from benchsuite.core.commands import PROGRAM_VARIABLE, SHORT
from benchsuite.core.exceptions import BenchsuiteError, LoadError, UsageError
from benchsuite.core.observations import Seen
from benchsuite.core.plain import read
from benchsuite.core.readings import TARGET
from benchsuite.core.units import listed
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening, only_by_ipv6
from benchsuite.load.hosts.wire import MOST_BYTES
from benchsuite.system import folders
from benchsuite.system.fingerprint import fingerprint
from benchsuite.system.guard import guarded
from benchsuite.system.network import listeners
from benchsuite.system.process import running
from benchsuite.system.procfs import all_pids, command_line, read_bytes, read_stat, read_text
from benchsuite.system.tree import descendants
from benchsuite.telemetry.devices import Scheduling, Speed, affinity
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.sampler import DEVICES, Census, Sampler

SILENT_S = 3.5  #: For so long one that has something started may say nothing.
FORGOTTEN_S = 60.0  #: A command that has said nothing for so long has no load that is watched.
COMMANDS = ("runbench", "runstudy", "tunebench")
CHUNK = 1_000_000  #: Characters that are sent at a time.


@dataclass(slots=True, kw_only=True)
class Target:
    """The processes that are meant by any of these, with all that comes from them."""

    names: tuple[str, ...] = ()
    unit: str = ""
    port: int | None = None
    _owners: set[tuple[int, int]] = field(default_factory=set, init=False)
    """PID and start of those of the port; looked for again when one has ended, as all open files
    must be read for it."""

    @property
    def words(self) -> str:
        """ "processes named gunicorn"."""
        words = [f"processes named {listed(self.names)}"] if self.names else []
        words += [f"unit {self.unit}"] if self.unit else []
        words += [f"the owner of port {self.port}"] if self.port else []
        return listed(words) if words else ""

    def pids(self) -> list[int]:
        """Of all that live; none of this process and those that it comes from."""
        stats = {pid: stat for pid in all_pids() if (stat := read_stat(pid)) and stat.alive}
        own, pid = set(), os.getpid()
        while (stat := stats.get(pid)) is not None:
            own.add(pid)
            pid = stat.ppid
        meant = {pid for pid in stats.keys() - own if self._is_meant(pid)}
        if self.port is not None:
            living = {(pid, stat.started) for pid, stat in stats.items()}
            if not self._owners or not self._owners <= living:
                listening = set(listeners(self.port))
                self._owners = {process for process in living if process[0] in listening}
            meant |= {pid for pid, _ in self._owners} - own
        return sorted(descendants(meant, stats.values()) - own)

    def _is_meant(self, pid: int) -> bool:
        if self.unit:
            groups = read_text(f"/proc/{pid}/cgroup").split()
            if any(self.unit in Path(group.rpartition(":")[2]).parts for group in groups):
                return True
        if not self.names:
            return False
        words = read_text(f"/proc/{pid}/cmdline").split("\0")[:3]  # python -m gunicorn
        words.append(read_text(f"/proc/{pid}/comm").strip())
        # some write a title there: "gunicorn: master [shop]"
        return any(Path(word).name.partition(":")[0] in self.names for word in words)


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
        return packed("seen", seen=Seen(turnover=turnover, host=host, cpus=cpus, errors=errors))

    def close(self) -> None:
        self.sampler.stop()


class Started:
    """A command of this project, as it would be called here, until its runs are fetched."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        if name not in COMMANDS:
            raise UsageError(f"An agent starts {listed(COMMANDS)}, not {name}.")
        self._since, self._runs = datetime.now(UTC).isoformat(), ""
        marker, env = secrets.token_hex(8), {**os.environ, "PYTHONUNBUFFERED": "1"}
        if PROGRAM_VARIABLE in env:  # these settings are the program's own, not the project's
            env.pop("DJANGO_SETTINGS_MODULE", None)
        with ExitStack() as stack:
            self._folder = stack.enter_context(folders.scratch())
            stack.enter_context(guarded(marker, self._folder))
            self._log, argv = self._folder / "command.log", _argv(name, *words)
            self._process = stack.enter_context(
                running(argv, name=name, log=self._log, env=env, grace_s=10.0, marker=marker)
            )
            self._stack = stack.pop_all()

    def answer(self, data: dict[str, Any]) -> bytes | None:
        """To who listens to it, and fetches its runs when it has ended."""
        start = data.get("start", 0)
        if data["kind"] == "listen":
            return self._said(start)
        if data["kind"] == "fetch":
            self._runs = self._runs or self._exported()
            return packed("runs", start=start, runs=self._runs[start : start + CHUNK])
        if data["kind"] == "stop" and self._process.poll() is None:
            # as Ctrl-C does, which may be ignored here: what was measured by then is kept
            os.kill(self._process.pid, signal.SIGTERM)
        return None

    def _said(self, start: int) -> bytes:
        """The lines that it has written from that byte on, and how it has ended."""
        status = self._process.poll()
        with self._log.open("rb") as log:
            log.seek(start)
            lines = log.read(CHUNK)
        if status is None:
            lines = lines[: lines.rfind(b"\n") + 1]
        text, ended = lines.decode(errors="replace"), int(status is not None)
        end, code = start + len(lines), (status or 0) % 256
        return packed("said", start=start, text=text, next=end, ended=ended, status=code)

    def _exported(self) -> str:
        """What `loadbench` reads of its runs; empty where there are none."""
        path = self._folder / "runs.json"
        argv = _argv("dumpbench", str(path), f"--since={self._since}")
        subprocess.run(argv, timeout=55.0, capture_output=True, check=False)  # who asks waits 60 s
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """Ends all of it: killed, a command's own guard ends what it has started."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
        self._stack.close()


def _argv(name: str, *words: str) -> list[str]:
    """Called as the agent was: by manage.py, or by the program with its own options."""
    program, *called = sys.argv
    start = ["-m", Path(program).parent.name] if program.endswith("__main__.py") else [program]
    verbs = {"benchagent": name, SHORT["benchagent"]: SHORT[name]}
    verb = next(word for word in called if word in verbs)
    return [sys.executable, *start, *called[: called.index(verb)], verbs[verb], *words]


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
        except (
            BenchsuiteError,
            OSError,
            subprocess.SubprocessError,
            ValueError,
            OverflowError,
        ) as error:
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
        bind = place.host if only_by_ipv6(place.host) else socket.gethostbyname(place.host)
        words = [f"--bind={bind}", *words, "--load-hosts=1", f"--listen={place.host}:{port}"]
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
        keys.secure(server, key, place.host, MOST_BYTES)
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
