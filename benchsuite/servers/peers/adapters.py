"""Servers outside Django, and the npm packages of those on Node: in the cache, by a lock file."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import ClassVar

from benchsuite.core.commands import command
from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, THREADS, Available, ServerAdapter
from benchsuite.system import programs
from benchsuite.system.folders import cache_folder

PROGRAMS = Path(__file__).parent / "programs"
LISTS = ("package.json", "package-lock.json")
BUILD_S = 300.0
OLDEST_NODE = 18
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
        own = {"NODE_PATH": str(modules()), "NODE_ENV": "production", "NODE_OPTIONS": ""}
        return {**own, **super().env()}

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return package_version(cls.distribution)

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        node = usable()
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


def modules() -> Path:
    """Where the packages of this lock are, or would be."""
    digest = hashlib.sha256(b"".join((PROGRAMS / name).read_bytes() for name in LISTS))
    return cache_folder() / "peers" / digest.hexdigest()[:16] / "node_modules"


def package_version(package: str) -> str | None:
    try:
        return str(json.loads((modules() / package / "package.json").read_text())["version"])
    except (OSError, ValueError):
        return None


def usable() -> Available:
    """Whether packages can be built and run here."""
    if (node := programs.program_version("node", "--version")) is None:
        return Available(False, "Node is not installed", "apt install nodejs npm")
    if int(node.partition(".")[0]) < OLDEST_NODE:
        return Available(False, f"Node {node} is too old", f"install Node {OLDEST_NODE} or newer")
    return Available(True)


def build() -> Path:
    """Installs the packages once, with `npm ci`; returns where they are. Raises UnavailableError
    without Node or npm, StartError with npm's output when it fails.
    """
    if not (node := usable()).ok:
        raise UnavailableError(
            f"The packages can't be installed: {node.reason}; try: {node.command}."
        )
    if (npm := programs.find_program("npm")) is None:
        raise UnavailableError("The packages can't be installed without npm: apt install npm.")
    wanted = modules().parent
    if modules().is_dir():
        return wanted
    aside = wanted.with_name(f"{wanted.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for name in LISTS:
        shutil.copyfile(PROGRAMS / name, aside / name)
    try:
        words = ("ci", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev")
        done = programs.asked(npm, *words, folder=aside, limit_s=BUILD_S)
    except subprocess.TimeoutExpired as error:
        raise StartError(
            f"npm did not finish within {BUILD_S:g} s; check that its registry can be reached."
        ) from error
    if done.returncode:
        tail = "\n".join(done.stdout.decode(errors="replace").splitlines()[-20:])
        raise StartError(f"npm ci failed with status {done.returncode}:\n{tail}")
    aside.replace(wanted)
    return wanted
