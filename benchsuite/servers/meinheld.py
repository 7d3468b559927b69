"""meinheld, a server in C on picoev; see github.com/mopemope/meinheld."""

from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import KEEP_ALIVE_S, Available
from benchsuite.servers.launched import Launched

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
