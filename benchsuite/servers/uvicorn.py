"""Uvicorn; see www.uvicorn.org."""

from benchsuite.core.specs import Within
from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, LOOPS, TAKE_THREADS_ASGI, ServerAdapter

WEBSOCKETS = ("auto", "websockets", "websockets-sansio", "wsproto")
"""WebSocket libraries; auto is websockets-sansio (websockets in old versions)."""


class Uvicorn(ServerAdapter):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = "uvicorn"
    interface = "asgi"
    distribution = "uvicorn"
    requirement = "uvicorn[standard]"
    websocket = True
    finishes_in_flight = True
    takes_socket = True
    for_threads = TAKE_THREADS_ASGI
    limits = {
        "http": ("auto", "h11", "httptools"),
        "limit_concurrency": Within(0),
        "loop": LOOPS,
        "ws": WEBSOCKETS,
    }
    options = {
        "backlog": BACKLOG,
        "http": "auto",
        "keep_alive_s": KEEP_ALIVE_S,
        "limit_concurrency": 0,
        "loop": "auto",
        "ws": "auto",
    }

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--host", host, "--port", str(port))

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        most = int(self.settings["limit_concurrency"])
        return [
            *self.python.module("uvicorn"),
            self.application.asgi,
            *where,
            *("--workers", str(self.processes)),
            *("--loop", str(self.settings["loop"]), "--http", str(self.settings["http"])),
            *("--backlog", str(self.settings["backlog"])),
            *("--timeout-keep-alive", str(self.settings["keep_alive_s"])),
            *("--ws", str(self.settings["ws"])),
            *(("--limit-concurrency", str(most)) if most else ()),
            # At level "info" it logs two lines for each WebSocket, even without an access log.
            *("--no-access-log", "--log-level", "warning"),
        ]

    def at_once(self) -> int | None:
        return self.processes * int(self.settings["limit_concurrency"]) or None

    def expected_processes(self) -> int:
        # A single process serves; several have a parent and multiprocessing's resource tracker.
        return 1 if self.processes == 1 else self.processes + 2
