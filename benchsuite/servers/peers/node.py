"""`ws` and Socket.IO on Node; see github.com/websockets/ws and socket.io."""

from typing import ClassVar

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import Available
from benchsuite.servers.peers import packages
from benchsuite.servers.peers.base import PROGRAMS, PeerAdapter
from benchsuite.system import programs

BUILD = "python manage.py buildpeer node"


class NodePeer(PeerAdapter):
    """One event loop; JavaScript runs in one thread."""

    program: ClassVar[str]
    for_threads = "Node has one event loop"

    def argv(self, host: str, port: int) -> list[str]:
        node = programs.find_program("node") or "node"
        backlog = str(self.settings["backlog"])
        return [node, str(PROGRAMS / self.program), host, str(port), backlog]

    def env(self) -> dict[str, str]:
        own = {"NODE_PATH": str(packages.modules()), "NODE_ENV": "production", "NODE_OPTIONS": ""}
        return {**own, **super().env()}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return packages.version(cls.distribution)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        reason, command = packages.lacking()
        if reason:
            return Available(False, reason, command)
        if cls.version() is None:
            return Available(False, f"{cls.distribution} is not built", BUILD)
        return Available(True)


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
