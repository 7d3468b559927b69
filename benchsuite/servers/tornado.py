"""Tornado as a WSGI server; see www.tornadoweb.org, "WSGIContainer"."""

from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, THREADS, ServerAdapter

IN_EVENT_LOOP = {"DJANGO_ALLOW_ASYNC_UNSAFE": "true"}
"""Lets sync views use the database in the thread of an event loop, which Django refuses elsewhere;
where nothing else runs until the view has ended, nothing can go wrong."""


class Tornado(ServerAdapter):
    """An event loop for the network and a pool of threads for the application, in each process.

    With one thread there is no pool: the application runs in the event loop, which is Tornado's own
    way. It has no command line; a launcher of ours starts it.
    """

    name = "tornado"
    interface = "wsgi"
    distribution = "tornado"
    threads_word = "threads"
    default_threads = THREADS
    takes_socket = True
    options = {"backlog": BACKLOG, "keep_alive_s": KEEP_ALIVE_S}

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--bind", f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        return [
            *self.python.module("benchsuite.servers.launchers.tornado"),
            self.application.wsgi,
            *where,
            *("--processes", str(self.processes), "--threads", str(self.threads)),
            *("--backlog", str(self.settings["backlog"])),
            *("--keep-alive", str(self.settings["keep_alive_s"])),
        ]

    def env(self) -> dict[str, str]:
        return IN_EVENT_LOOP if self.threads == 1 else {}

    def expected_processes(self) -> int:
        return 1 if self.processes == 1 else 1 + self.processes

    def _check(self) -> None:
        super()._check()
        self._at_least(1, "backlog", "keep_alive_s")
