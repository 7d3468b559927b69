"""Servers that are libraries, each by a launcher of ours: bjoern, Cheroot, Tornado and others."""

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, CONNECTIONS, KEPT, THREADS, Available, ServerAdapter

IN_EVENT_LOOP = {"DJANGO_ALLOW_ASYNC_UNSAFE": "true"}
"""Lets sync views use the database in an event loop: safe where nothing runs until they end."""


class Launched(ServerAdapter):
    """Processes on one socket, watched by another one if there are several."""

    interface = "wsgi"
    managers_of_several = 1
    inherits = "--fd {descriptor}"
    flags = {
        "--processes": "processes",
        "--threads": "threads",
        "--backlog": "backlog",
        "--keep-alive": "keep_alive_s",
    }
    options = KEPT


class Bjoern(Launched):
    """One request at a time in each process; clients decide how long connections stay open."""

    name = distribution = "bjoern"
    program = "benchsuite.servers.launchers.bjoern"
    one_at_a_time = True
    options = {"backlog": BACKLOG}
    missing = Available(
        False,
        "bjoern is not installed, and has no wheel",
        "apt install gcc libev-dev python3-dev && pip install bjoern",
    )


class Tornado(Launched):
    """An event loop for the network and a pool of threads for the application, in each process;
    with one thread no pool, but the event loop for both, which is Tornado's default.
    """

    name = distribution = "tornado"
    program = "benchsuite.servers.launchers.tornado"
    threads_word = "threads"
    default_threads = THREADS

    def env(self) -> dict[str, str]:
        return {**super().env(), **(IN_EVENT_LOOP if self.threads == 1 else {})}


class Meinheld(Launched):
    """One request at a time in each process, unless the application uses meinheld's own waits."""

    name = distribution = "meinheld"
    program = "benchsuite.servers.launchers.meinheld"
    one_at_a_time = True
    finishes_in_flight = True
    missing = Available(
        False,
        "meinheld is not installed, has no wheel, and requires a greenlet that doesn't compile",
        "apt install gcc python3-dev && pip install greenlet && "
        "pip install --no-deps meinheld==1.0.2",
    )

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        if tuple(map(int, python.version.split(".")[:2])) >= (3, 13):
            reason = "meinheld 1.0.2 can't be imported by Python 3.13 or newer, and this is "
            return Available(False, f"{reason}{python.version}", "use Python 3.12 or older")
        return super().available(python)


class Pooled(ServerAdapter):
    """One process: one thread for the network, a pool of threads for the application."""

    interface = "wsgi"
    threads_word = "threads"
    default_threads = THREADS
    max_processes = 1
    options = KEPT


class Cheroot(Pooled):
    name = distribution = program = "cheroot"
    flags = {
        "--threads": "threads",
        "--max-threads": "threads",
        "--request-queue-size": "backlog",
        "--timeout": "keep_alive_s",
    }


class Waitress(Pooled):
    name = distribution = program = "waitress"
    line = "WHERE FLAGS APPLICATION"
    listens = "--listen={host}:{port}"
    inherits = "--fd {descriptor}"
    flags = {
        "--threads=": "threads",
        "--backlog=": "backlog",
        "--connection-limit=": "connections",
        "--channel-timeout=": "keep_alive_s",
        # It checks for idle connections only this often, by default every 30 s.
        "--cleanup-interval=": "keep_alive_s",
    }
    options = {**KEPT, "connections": CONNECTIONS}

    def argv_on_socket(self, descriptor: str) -> list[str]:
        python, module, _, *words = super().argv_on_socket(descriptor)
        return [python, module, "benchsuite.servers.launchers.waitress", *words]
