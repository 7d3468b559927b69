"""bjoern, a server in C on libev; see github.com/jonashaag/bjoern."""

from benchsuite.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, TAKE_THREADS, Available, ServerAdapter


class Bjoern(ServerAdapter):
    """One request at a time in each process; connections are kept for as long as clients like."""

    name = "bjoern"
    interface = "wsgi"
    distribution = "bjoern"
    one_at_a_time = True
    takes_socket = True
    for_threads = TAKE_THREADS
    options = {"backlog": BACKLOG}

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        if cls.version(python) is not None:
            return Available(True)
        return Available(
            False,
            "bjoern is not installed, and has no wheel",
            "apt install gcc libev-dev python3-dev && pip install bjoern",
        )

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--bind", f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        return [
            *self.python.module("benchsuite.servers.launchers.bjoern"),
            self.application.wsgi,
            *where,
            *("--processes", str(self.processes), "--backlog", str(self.settings["backlog"])),
        ]

    def expected_processes(self) -> int:
        return 1 if self.processes == 1 else 1 + self.processes

    def _check(self) -> None:
        super()._check()
        self._at_least(1, "backlog")
