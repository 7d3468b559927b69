"""meinheld, a server in C on picoev; see github.com/mopemope/meinheld."""

from benchsuite.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, TAKE_THREADS, Available, ServerAdapter

TOO_NEW = (3, 13)
"""The first Python with which it can't be imported any more."""


def meinheld_available(python: Interpreter = OWN) -> Available:
    """Whether meinheld is installed and can be imported, and what would help."""
    version = tuple(int(part) for part in python.version.split(".")[:2])
    if version >= TOO_NEW:
        return Available(
            False,
            f"meinheld 1.0.2 can't be imported by Python 3.13 or newer, and this is "
            f"{python.version}",
            "use Python 3.12 or older",
        )
    if python.installed("meinheld") is not None:
        return Available(True)
    return Available(
        False,
        "meinheld is not installed, has no wheel, and wants a greenlet that doesn't compile",
        "apt install gcc python3-dev && pip install greenlet && "
        "pip install --no-deps meinheld==1.0.2",
    )


class Meinheld(ServerAdapter):
    """One request at a time in each process, unless the application waits in meinheld's own way."""

    name = "meinheld"
    interface = "wsgi"
    distribution = "meinheld"
    one_at_a_time = True
    takes_socket = True
    finishes_in_flight = True
    for_threads = TAKE_THREADS
    options = {"backlog": BACKLOG, "keep_alive_s": KEEP_ALIVE_S}

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        return meinheld_available(python)

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--bind", f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        return [
            *self.python.module("benchsuite.servers.launchers.meinheld"),
            self.application.wsgi,
            *where,
            *("--processes", str(self.processes), "--backlog", str(self.settings["backlog"])),
            *("--keep-alive", str(self.settings["keep_alive_s"])),
        ]

    def expected_processes(self) -> int:
        return 1 if self.processes == 1 else 1 + self.processes

    def _check(self) -> None:
        super()._check()
        self._at_least(1, "backlog", "keep_alive_s")
