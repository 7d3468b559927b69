"""Waitress; see docs.pylonsproject.org/projects/waitress."""

from benchsuite.servers.base import BACKLOG, CONNECTIONS, KEEP_ALIVE_S, THREADS, ServerAdapter


class Waitress(ServerAdapter):
    """One process: one thread for the network, a pool of threads for the application."""

    name = "waitress"
    interface = "wsgi"
    distribution = "waitress"
    threads_word = "threads"
    default_threads = THREADS
    max_processes = 1
    takes_socket = True
    options = {"backlog": BACKLOG, "connections": CONNECTIONS, "keep_alive_s": KEEP_ALIVE_S}

    def argv(self, host: str, port: int) -> list[str]:
        keep_alive_s = self.settings["keep_alive_s"]
        return [
            *self.python.module("waitress"),
            f"--listen={host}:{port}",
            f"--threads={self.threads}",
            f"--backlog={self.settings['backlog']}",
            f"--connection-limit={self.settings['connections']}",
            f"--channel-timeout={keep_alive_s}",
            # It checks for idle connections only this often, by default every 30 s.
            f"--cleanup-interval={keep_alive_s}",
            self.application.wsgi,
        ]

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return [
            # Its own command takes no socket.
            *self.python.module("benchsuite.servers.launchers.waitress"),
            self.application.wsgi,
            *("--fd", descriptor),
            *("--threads", str(self.threads)),
            *("--backlog", str(self.settings["backlog"])),
            *("--connections", str(self.settings["connections"])),
            *("--keep-alive", str(self.settings["keep_alive_s"])),
        ]
