"""Servers that are libraries, each by a launcher of ours: bjoern, Cheroot, Tornado and others."""

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import (
    BACKLOG,
    CONNECTIONS,
    KEEP_ALIVE_S,
    THREADS,
    Available,
    ServerAdapter,
)


class Launched(ServerAdapter):
    """Processes on one socket, watched by another one if there are several.

    The launcher is the module of `launchers` named after the distribution.
    """

    options = {"backlog": BACKLOG}

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--bind", f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        words = [*where, "--processes", str(self.processes)]
        if self.threads_word is not None:
            words += ["--threads", str(self.threads)]
        words += ["--backlog", str(self.settings["backlog"])]
        if "keep_alive_s" in self.settings:
            words += ["--keep-alive", str(self.settings["keep_alive_s"])]
        launcher = f"benchsuite.servers.launchers.{self.distribution}"
        return [*self.python.module(launcher), self.application.wsgi, *words]

    def expected_processes(self) -> int:
        return 1 if self.processes == 1 else 1 + self.processes


class Bjoern(Launched):
    """One request at a time in each process; clients decide how long connections stay open."""

    name = "bjoern"
    interface = "wsgi"
    distribution = "bjoern"
    takes_socket = True
    one_at_a_time = True

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        if cls.version(python) is not None:
            return Available(True)
        return Available(
            False,
            "bjoern is not installed, and has no wheel",
            "apt install gcc libev-dev python3-dev && pip install bjoern",
        )


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


IN_EVENT_LOOP = {"DJANGO_ALLOW_ASYNC_UNSAFE": "true"}
"""Lets sync views use the database in an event loop's thread, which Django otherwise refuses; it is
safe where nothing else runs until the view has ended."""


class Tornado(Launched):
    """An event loop for the network and a pool of threads for the application, in each process.

    With one thread there is no pool: the application runs in the event loop, Tornado's default. It
    has no command line; a launcher of ours starts it.
    """

    name = "tornado"
    interface = "wsgi"
    distribution = "tornado"
    takes_socket = True
    threads_word = "threads"
    default_threads = THREADS
    options = {**Launched.options, "keep_alive_s": KEEP_ALIVE_S}

    def env(self) -> dict[str, str]:
        return {**super().env(), **(IN_EVENT_LOOP if self.threads == 1 else {})}


TOO_NEW = (3, 13)  #: The first Python that can't import it.


def meinheld_available(python: Interpreter = OWN) -> Available:
    """Whether meinheld is installed and can be imported; if not, what would help."""
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
        "meinheld is not installed, has no wheel, and requires a greenlet that doesn't compile",
        "apt install gcc python3-dev && pip install greenlet && "
        "pip install --no-deps meinheld==1.0.2",
    )


class Meinheld(Launched):
    """One request at a time in each process, unless the application uses meinheld's own waits."""

    name = "meinheld"
    interface = "wsgi"
    distribution = "meinheld"
    takes_socket = True
    one_at_a_time = True
    finishes_in_flight = True
    options = {**Launched.options, "keep_alive_s": KEEP_ALIVE_S}

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        return meinheld_available(python)


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
