"""Uvicorn; see www.uvicorn.org."""

from benchsuite.core.specs import Within
from benchsuite.servers.base import KEPT, LOOPS, ServerAdapter

WEBSOCKETS = ("auto", "websockets", "websockets-sansio", "wsproto")
"""WebSocket libraries; auto is websockets-sansio (websockets in old versions)."""


class Uvicorn(ServerAdapter):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = distribution = program = "uvicorn"
    foreign = ("UVICORN_",)
    interface = "asgi"
    requirement = "uvicorn[standard]"
    websocket = True
    finishes_in_flight = True
    managers_of_several = 2  # a parent, and multiprocessing's resource tracker
    limited_by = "limit_concurrency"
    # At level "info" it logs two lines for each WebSocket, even without an access log.
    line = "APPLICATION WHERE FLAGS --no-access-log --log-level warning"
    listens = "--host {host} --port {port}"
    inherits = "--fd {descriptor}"
    flags = {
        "--workers": "processes",
        "--loop": "loop",
        "--http": "http",
        "--backlog": "backlog",
        "--timeout-keep-alive": "keep_alive_s",
        "--ws": "ws",
        "--limit-concurrency": "limit_concurrency",
    }
    limits = {
        "http": ("auto", "h11", "httptools"),
        "limit_concurrency": Within(0),
        "loop": LOOPS,
        "ws": WEBSOCKETS,
    }
    options = {**KEPT, "http": "auto", "limit_concurrency": 0, "loop": "auto", "ws": "auto"}
