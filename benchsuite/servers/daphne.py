"""Daphne, and Django's development server; see github.com/django/daphne."""

from benchsuite.servers.base import BACKLOG, TAKE_THREADS_ASGI, ServerAdapter


class Daphne(ServerAdapter):
    """One process with Twisted's reactor; sync views run in asgiref's threads."""

    name = "daphne"
    interface = "asgi"
    distribution = "daphne"
    max_processes = 1
    websocket = True
    takes_socket = True
    for_processes = (
        "take circus-daphne for more of them on one socket, --front=nginx with --instances, or "
        "uvicorn, hypercorn or granian-asgi"
    )
    for_threads = TAKE_THREADS_ASGI
    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        endpoint = f"tcp:port={port}:interface={host}:backlog={self.settings['backlog']}"
        return self._listening("-e", endpoint)

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        # Verbosity 0 is warnings and errors; from 1 on it writes an access log.
        return [*self.python.module("daphne"), "-v", "0", *where, self.application.asgi]


class Runserver(ServerAdapter):
    """One process with a thread for each connection; for comparison, not for production.

    It serves the WSGI_APPLICATION of the settings, not the callable of `Application`.
    """

    name = "runserver"
    interface = "wsgi"
    distribution = "django"
    max_processes = 1
    for_production = False
    for_threads = (
        "it starts one for each connection; take gunicorn-gthread, granian-wsgi, uwsgi or waitress "
        "for a fixed number"
    )

    def argv(self, host: str, port: int) -> list[str]:
        return [*self.python.module("django"), "runserver", f"{host}:{port}", "--noreload"]
