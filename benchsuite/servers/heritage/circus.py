"""Circus, old or current, with workers that inherit its listening socket."""

import hashlib
import shlex
from collections.abc import Mapping
from typing import ClassVar

from benchsuite.servers.base import BACKLOG
from benchsuite.servers.heritage.base import Heritage

SOCKET = "$(circus.sockets.web)"
"""Replaced by Circus with the number of the socket's file descriptor."""


class Circus(Heritage):
    """Circus holds the socket and keeps one chaussette on it for each process."""

    interface = "wsgi"
    distribution = "chaussette"
    answers = ("plain", "bench_app")
    for_threads = "take more processes: --processes=N"
    options = {"backlog": BACKLOG}
    backend: ClassVar[str]  #: Chaussette's name of the server inside.

    def argv(self, host: str, port: int) -> list[str]:
        return [*self.circusd(), str(self.place.folder / "circus.ini")]

    def circusd(self) -> list[str]:
        """The start of Circus's command line."""
        return [self.python.script("circusd")]

    def worker(self) -> list[str]:
        """The command line of one process."""
        command = [self.python.script("chaussette"), "--fd", SOCKET, "--backend", self.backend]
        return [*command, "bench.application"]

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        return {**super().config_files(host, port), "circus.ini": self._ini(host, port)}

    def expected_processes(self) -> int:
        return 1 + self.processes

    def _ini(self, host: str, port: int) -> str:
        """Circus's own sockets are in Linux's abstract namespace: the path of a run's folder may be
        longer than the kernel allows.
        """
        digest = hashlib.sha256(str(self.place.folder).encode()).hexdigest()[:16]
        words = [word if word == SOCKET else shlex.quote(word) for word in self.worker()]
        return f"""\
[circus]
check_delay = 1
endpoint = ipc://@benchsuite-{digest}-endpoint
pubsub_endpoint = ipc://@benchsuite-{digest}-pubsub

[watcher:web]
cmd = {" ".join(words)}
use_sockets = True
copy_env = True
numprocesses = {self.processes}
stdout_stream.class = StdoutStream
stderr_stream.class = StdoutStream

[socket:web]
host = {host}
port = {port}
backlog = {self.settings["backlog"]}
"""
