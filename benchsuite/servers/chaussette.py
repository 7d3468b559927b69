"""Chaussette, made to run WSGI applications on a socket of Circus; see chaussette.readthedocs.io.

Only `servers.circus` uses these: Chaussette runs one process.
"""

from typing import ClassVar

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import Available, ServerAdapter
from benchsuite.servers.launched import Bjoern, Meinheld


class Chaussette(ServerAdapter):
    """What all back ends share; `backend` is Chaussette's name for one."""

    interface = "wsgi"
    distribution = "chaussette"
    program = "benchsuite.servers.launchers.chaussette"
    max_processes = 1
    line = "FLAGS WHERE APPLICATION"
    listens = "--host {host} --port {port}"
    inherits = "--fd {descriptor}"
    flags = {"--backend=": "backend", "--nodelay": "nodelay"}
    backend: ClassVar[str]
    inside: ClassVar[type[ServerAdapter] | None] = None
    """The server that must be available, too."""

    @property
    def served(self) -> str:
        return self.application.wsgi.replace(":", ".")

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        own = super().available(python)
        return own & cls.inside.available(python) if cls.inside else own


class ChaussetteGevent(Chaussette):
    """A greenlet for each connection; responses leave in two packets, which stalls keep-alive.

    `nodelay` sends both at once.
    """

    name = "chaussette-gevent"
    backend = "gevent"
    companions = ("gevent",)
    for_threads = "it has a greenlet for each connection; take gunicorn-gthread for threads"
    options = {"nodelay": False}


class ChaussetteBjoern(Chaussette):
    """bjoern; one request at a time in each process."""

    name = "chaussette-bjoern"
    backend = "bjoern"
    inside = Bjoern
    one_at_a_time = True


class ChaussetteMeinheld(Chaussette):
    """meinheld, with sockets patched to its greenlets; closes every connection.

    A request waiting for a socket lets others run; one that computes or sleeps doesn't.
    """

    name = "chaussette-meinheld"
    backend = "meinheld"
    inside = Meinheld
    one_at_a_time = True
    keeps_alive = False
    finishes_in_flight = True
