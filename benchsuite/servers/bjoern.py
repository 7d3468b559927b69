"""bjoern, a server in C on libev; see github.com/jonashaag/bjoern."""

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import Available
from benchsuite.servers.launched import Launched


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
