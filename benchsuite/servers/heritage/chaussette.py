"""Chaussette's last release with the servers that it ran then, behind current Circus."""

from collections.abc import Mapping

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import BACKLOG, Available
from benchsuite.servers.heritage.base import Heritage
from benchsuite.servers.heritage.circus import Circus

FIRST, SECOND = "first", "second"
"""The application before July 2012, and after; the option `bench` says which is at /."""

TARGET = "chaussette"
PROOF = "import chaussette.server, gevent.wsgi, gunicorn, meinheld.server"

START_THREADS = '''\
"""Starts, in each process, the threads that the second version of the application uses."""


class Config:
    backend = "gevent"


def post_fork(server, worker):
    from chaussette.util import setup_bench

    setup_bench(Config)
'''


class Gunicorn(Heritage):
    """Gunicorn of July 2012 with its gevent workers: the baseline."""

    name = "heritage-chaussette-gunicorn"
    interface = "wsgi"
    distribution = "gunicorn"
    target = TARGET
    proof = PROOF
    answers = Circus.answers
    for_threads = Circus.for_threads
    options = {"backlog": BACKLOG, "bench": FIRST}
    limits = {"bench": (FIRST, SECOND)}

    def argv(self, host: str, port: int) -> list[str]:
        command = [self.python.script("gunicorn"), "--bind", f"{host}:{port}"]
        command += ["--workers", str(self.processes), "--worker-class", "gevent"]
        command += ["--backlog", str(self.settings["backlog"])]
        if self.settings["bench"] == SECOND:
            command += ["--config", str(self.place.folder / "gunicorn.conf.py")]
        return [*command, "bench:application"]

    def config_files(self, host: str, port: int) -> Mapping[str, str]:
        return {**super().config_files(host, port), "gunicorn.conf.py": START_THREADS}

    def env(self) -> dict[str, str]:
        return {**super().env(), "HERITAGE_BENCH": str(self.settings["bench"])}

    def expected_processes(self) -> int:
        return 1 + self.processes


class Chaussette(Circus):
    """Only the workers are old; the socket passes from one Python to the other."""

    target = TARGET
    proof = PROOF
    options = {"backlog": BACKLOG, "bench": FIRST}
    limits = {"bench": (FIRST, SECOND)}

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        if OWN.installed("circus") is None:
            return Available(False, "circus is not installed", "pip install circus")
        return super().available(python)

    def circusd(self) -> list[str]:
        return OWN.module("circus.circusd")

    def worker(self) -> list[str]:
        if self.settings["bench"] == FIRST:
            return super().worker()
        *command, application = super().worker()
        command += ["--pre-hook", "chaussette.util.setup_bench"]
        return [*command, "--post-hook", "chaussette.util.teardown_bench", application]

    def env(self) -> dict[str, str]:
        return {**super().env(), "HERITAGE_BENCH": str(self.settings["bench"])}


class Gevent(Chaussette):
    """gevent's WSGI server in Python."""

    name = "heritage-chaussette-gevent"
    backend = "gevent"


class FastGevent(Chaussette):
    """gevent's `gevent.wsgi`."""

    name = "heritage-chaussette-fastgevent"
    backend = "fastgevent"


class Meinheld(Chaussette):
    """meinheld: parser and loop in C; closes every connection."""

    name = "heritage-chaussette-meinheld"
    backend = "meinheld"
    keeps_alive = False
    finishes_in_flight = True
