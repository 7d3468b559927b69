"""Servers that are started in a way in which nobody should start them."""

import sys

from benchsuite.servers.gunicorn import GunicornGthread
from benchsuite.servers.launched import Waitress
from benchsuite.servers.uwsgi import Uwsgi
from benchsuite.system.network import free_port

DESCRIPTORS = 24

TWICE = """
import signal, subprocess, sys
both = [subprocess.Popen(sys.argv[1:]) for _ in range(2)]
signal.signal(signal.SIGTERM, lambda *_: [one.terminate() for one in both])
for one in both:
    one.wait()
"""


CACHE = r"""
import signal, socket, subprocess, sys, threading
host, port, behind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
kept = {}
def fetched(request):
    with socket.create_connection((host, behind)) as upstream:
        upstream.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + b"\r\n\r\n")
        answer = b"".join(iter(lambda: upstream.recv(65536), b""))
    return answer.replace(b"Connection: close\r\n", b"", 1)
def serve(connection):
    with connection:
        while request := connection.recv(65536).partition(b"\r\n\r\n")[0]:
            path = request.split()[1]
            if path not in kept:
                kept[path] = fetched(request)
            connection.sendall(kept[path])
server = subprocess.Popen(sys.argv[4:])
try:
    listener = socket.create_server((host, port))
    while True:
        threading.Thread(target=serve, args=listener.accept()[:1], daemon=True).start()
finally:
    server.terminate()
    server.wait()
"""


AGAIN = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
while True:
    with subprocess.Popen(sys.argv[1:]) as server:
        try:
            server.wait()
        finally:
            server.terminate()
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


class Cached(GunicornGthread):
    """Something stands before it that answers what it has answered once."""

    name = "cached"

    def argv(self, host: str, port: int) -> list[str]:
        behind = free_port(host)
        cache = [sys.executable, "-c", CACHE, host, str(port), str(behind)]
        return [*cache, *super().argv(host, behind)]


class Unattended(ReusePort):
    """Two servers on one port, and nobody who replaces the one that dies."""

    name = "unattended"

    def argv(self, host: str, port: int) -> list[str]:
        return [sys.executable, "-c", TWICE, *super().argv(host, port)]


class Supervised(Waitress):
    """Somebody starts it again when it ends; meanwhile nobody listens."""

    name = "supervised"

    def argv(self, host: str, port: int) -> list[str]:
        return [sys.executable, "-c", AGAIN, *super().argv(host, port)]
