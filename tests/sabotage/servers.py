"""Servers that are started in a way in which nobody should start them."""

import sys

from benchsuite.servers.gunicorn import GunicornGthread
from benchsuite.servers.uwsgi import Uwsgi
from benchsuite.servers.waitress import Waitress

DESCRIPTORS = 24

TWICE = """
import signal, subprocess, sys
both = [subprocess.Popen(sys.argv[1:]) for _ in range(2)]
signal.signal(signal.SIGTERM, lambda *_: [one.terminate() for one in both])
for one in both:
    one.wait()
"""


class FewDescriptors(Waitress):
    """Few more files than it needs by itself: each connection is one."""

    name = "few-descriptors"

    def argv(self, host: str, port: int) -> list[str]:
        return ["prlimit", f"--nofile={DESCRIPTORS}", "--", *super().argv(host, port)]


class ConnectionBound(Uwsgi):
    """Without its router: a thread serves one connection until the client closes it."""

    name = "connection-bound"

    def argv(self, host: str, port: int) -> list[str]:
        command = super().argv(host, port)
        command[command.index("--http")] = "--http11-socket"
        timeout = command.index("--http-timeout")
        del command[timeout : timeout + 2]
        return [word for word in command if not word.startswith("--http-keepalive")]


class ReusePort(GunicornGthread):
    """Shares its port with whoever asks for it."""

    name = "reuse-port"

    def argv(self, host: str, port: int) -> list[str]:
        return [*super().argv(host, port), "--reuse-port"]


class Unattended(ReusePort):
    """Two servers on one port, and nobody who replaces the one that dies."""

    name = "unattended"

    def argv(self, host: str, port: int) -> list[str]:
        return [sys.executable, "-c", TWICE, *super().argv(host, port)]
