"""Adapters of servers outside Django: one process each, with three consumers at three paths."""

from typing import ClassVar

from benchsuite.core.commands import command
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, THREADS, Available, ServerAdapter
from benchsuite.servers.peers import packages
from benchsuite.servers.peers.packages import PROGRAMS
from benchsuite.system import programs

BUILD = command("buildpeer", "node")
PACKAGES = "apt install ruby-actioncable ruby-websocket-driver puma"
ASK = 'require "action_cable/version"; puts ActionCable.version'


class PeerAdapter(ServerAdapter):
    """One process that serves a program of benchsuite."""

    interface = "own"
    max_processes = 1
    for_processes = "a peer runs as one process, because broadcasts stay within it"
    serves_project = False
    websocket = True
    consumers = ("/bench/ws/echo/", "/bench/ws/broadcast/", "/bench/ws/idle/")
    options = {"backlog": BACKLOG}


class NodePeer(PeerAdapter):
    """One event loop; JavaScript runs in one thread."""

    program: ClassVar[str]
    for_threads = "Node has one event loop"

    def argv(self, host: str, port: int) -> list[str]:
        words = [str(PROGRAMS / self.program), host, str(port), str(self.settings["backlog"])]
        return [programs.find_program("node") or "node", *words]

    def env(self) -> dict[str, str]:
        own = {"NODE_PATH": str(packages.modules()), "NODE_ENV": "production", "NODE_OPTIONS": ""}
        return {**own, **super().env()}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return packages.version(cls.distribution)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        node = packages.usable()
        if node.ok and cls.version() is None:
            return Available(False, f"{cls.distribution} is not built", BUILD)
        return node


class Ws(NodePeer):
    """WebSockets and nothing else."""

    name = "peer-ws"
    distribution = "ws"
    program = "ws.js"


class SocketIo(NodePeer):
    """Events in envelopes, with its own pings; WebSocket only, without polling."""

    name = "peer-socketio"
    distribution = "socket.io"
    program = "socketio.js"
    dialect = "benchsuite.load.client.websocket.dialects.SocketIo"


class ActionCable(PeerAdapter):
    """An event loop that reads, and threads that run the channels; its layer is in memory."""

    name = "peer-actioncable"
    distribution = "actioncable"
    threads_word = "threads"
    default_threads = THREADS
    dialect = "benchsuite.load.client.websocket.dialects.ActionCable"

    def argv(self, host: str, port: int) -> list[str]:
        bind = f"tcp://{host}:{port}?backlog={self.settings['backlog']}"
        threads = f"{self.threads}:{self.threads}"
        # "-C -": no configuration file.
        command = [programs.find_program("puma") or "puma", "-C", "-", "-q", "-e", "production"]
        return [*command, "-b", bind, "-t", threads, str(PROGRAMS / "actioncable.ru")]

    def env(self) -> dict[str, str]:
        own = {"BENCHSUITE_THREADS": str(self.threads), "RUBYOPT": "", "WEB_CONCURRENCY": "0"}
        return {**own, **super().env()}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return programs.program_version("ruby", "-e", ASK)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        missing = [name for name in ("ruby", "puma") if programs.find_program(name) is None]
        if missing or cls.version() is None:
            name = missing[0] if missing else "actioncable"
            return Available(False, f"{name} is not installed", PACKAGES)
        return Available(True)
