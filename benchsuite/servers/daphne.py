"""Daphne; see github.com/django/daphne."""

from benchsuite.servers.base import BACKLOG, TAKE_THREADS_ASGI, ServerAdapter


class Daphne(ServerAdapter):
    """One process with Twisted's reactor; sync views run in asgiref's threads."""

    name = "daphne"
    interface = "asgi"
    distribution = "daphne"
    max_processes = 1
    websocket = True
    for_processes = "take uvicorn, hypercorn or granian-asgi for more"
    for_threads = TAKE_THREADS_ASGI
    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        endpoint = f"tcp:port={port}:interface={host}:backlog={self.settings['backlog']}"
        # Verbosity 0 is warnings and errors; from 1 on it writes an access log.
        return [*self.python.module("daphne"), "-v", "0", "-e", endpoint, self.application.asgi]

    def _check(self) -> None:
        super()._check()
        self._at_least(1, "backlog")
