"""uWSGI, from the wheel `pyuwsgi` or compiled from `uWSGI`; see uwsgi-docs.readthedocs.io."""

from benchsuite.interpreter import OWN, Interpreter
from benchsuite.servers.base import (
    BACKLOG,
    KEEP_ALIVE_S,
    THREADS,
    ServerAdapter,
)


class Uwsgi(ServerAdapter):
    """A master, an HTTP router that keeps connections, and the processes that answer."""

    name = "uwsgi"
    interface = "wsgi"
    distribution = "pyuwsgi"
    threads_word = "threads"
    default_threads = THREADS
    options = {
        "backlog": BACKLOG,
        "buffer_bytes": 0,
        "keep_alive_s": KEEP_ALIVE_S,
        "max_requests": 0,
        "preload": True,
        "timeout_s": 60,
    }

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return python.installed("pyuwsgi") or python.installed("uWSGI")

    def argv(self, host: str, port: int) -> list[str]:
        command = [self.python.script("uwsgi"), "--http", f"{host}:{port}"]
        command += [f"--http-keepalive={self.settings['keep_alive_s']}", "--http-auto-chunked"]
        command += ["--http-timeout", str(self.settings["timeout_s"])]
        command += ["--module", self.application.wsgi, "--need-app", "--master"]
        command += ["--processes", str(self.processes), "--threads", str(self.threads)]
        command += ["--listen", str(self.settings["backlog"])]
        command += ["--disable-logging", "--die-on-term", "--no-orphans"]
        if self.settings["buffer_bytes"]:
            command += ["--http-buffer-size", str(self.settings["buffer_bytes"])]
        if self.settings["max_requests"]:
            command += ["--max-requests", str(self.settings["max_requests"])]
        if not self.settings["preload"]:
            command.append("--lazy-apps")
        return command

    def expected_processes(self) -> int:
        return 2 + self.processes

    def _check(self) -> None:
        super()._check()
        self._at_least(0, "buffer_bytes", "max_requests")
        self._at_least(1, "backlog", "timeout_s")
        self._at_least(2, "keep_alive_s")  # its router takes 1 for "on, for as long as timeout_s"
