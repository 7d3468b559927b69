"""Chaussette, made to run WSGI applications on a socket of Circus; see chaussette.readthedocs.io.

Only `servers.circus` uses these: Chaussette runs one process.
"""

from typing import ClassVar

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import Available, ServerAdapter
from benchsuite.servers.launched import Bjoern, meinheld_available


class Chaussette(ServerAdapter):
    """What all back ends share; `backend` is Chaussette's name for one."""

    interface = "wsgi"
    distribution = "chaussette"
    max_processes = 1
    takes_socket = True
    backend: ClassVar[str]

    def argv(self, host: str, port: int) -> list[str]:
        return self._listening("--host", host, "--port", str(port))

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._listening("--fd", descriptor)

    def _listening(self, *where: str) -> list[str]:
        launcher = self.python.module("benchsuite.servers.launchers.chaussette")
        dotted = self.application.wsgi.replace(":", ".")
        return [*launcher, self.backend, *self._more(), *where, dotted]

    def _more(self) -> list[str]:
        return []


class ChaussetteGevent(Chaussette):
    """A greenlet for each connection; responses leave in two packets, which stalls keep-alive.

    `nodelay` sends both at once.
    """

    name = "chaussette-gevent"
    backend = "gevent"
    companions = ("gevent",)
    for_threads = "it has a greenlet for each connection; take gunicorn-gthread for threads"
    options = {"nodelay": False}

    def _more(self) -> list[str]:
        return ["--nodelay"] if self.settings["nodelay"] else []


class ChaussetteBjoern(Chaussette):
    """bjoern; one request at a time in each process."""

    name = "chaussette-bjoern"
    backend = "bjoern"
    one_at_a_time = True

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        return super().available(python) & Bjoern.available(python)


class ChaussetteMeinheld(Chaussette):
    """meinheld, with sockets patched to its greenlets; closes every connection.

    A request waiting for a socket lets others run; one that computes or sleeps doesn't.
    """

    name = "chaussette-meinheld"
    backend = "meinheld"
    one_at_a_time = True
    keeps_alive = False
    finishes_in_flight = True

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        return super().available(python) & meinheld_available(python)
