"""Cheroot, the server of CherryPy; see cheroot.cherrypy.dev."""

from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, THREADS, ServerAdapter


class Cheroot(ServerAdapter):
    """One process: one thread for the network, a pool of threads for the application."""

    name = "cheroot"
    interface = "wsgi"
    distribution = "cheroot"
    threads_word = "threads"
    default_threads = THREADS
    max_processes = 1
    options = {"backlog": BACKLOG, "keep_alive_s": KEEP_ALIVE_S}

    def argv(self, host: str, port: int) -> list[str]:
        return [
            *self.python.module("cheroot"),
            self.application.wsgi,
            *("--bind", f"{host}:{port}"),
            *("--threads", str(self.threads), "--max-threads", str(self.threads)),
            *("--request-queue-size", str(self.settings["backlog"])),
            *("--timeout", str(self.settings["keep_alive_s"])),
        ]
