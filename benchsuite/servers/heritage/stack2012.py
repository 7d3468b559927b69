"""The whole stack of June 2012: Circus, Chaussette and its servers, all under Python 2.7."""

from collections.abc import Mapping

from benchsuite.pythons.building import Step
from benchsuite.pythons.requirements import Requirements
from benchsuite.servers.heritage.circus import Circus

SWITCHES = {
    "gevent": (
        "-D_EVENT_NUMERIC_VERSION=0x02010c00 -D_EVENT_VERSION=EVENT__VERSION "
        "-Dev_flags=ev_evcallback.evcb_flags -fcommon -w"
    ),
    "meinheld": "-fgnu89-inline -fcommon -w",
}
"""Flags that compile them today: names that libevent has since changed, and older C."""

SSL3 = 'import ssl; ssl.PROTOCOL_SSLv3 = getattr(ssl, "PROTOCOL_SSLv3", ssl.PROTOCOL_SSLv23)\n'
"""Old gevent needs what OpenSSL no longer has; nothing here speaks TLS."""


class Stack2012(Circus):
    """The first version of the application, which came with this Chaussette."""

    target = "2012"
    served = "chaussette"
    proof = (
        "import chaussette.server, circus.circusd, gevent.wsgi, iowait, meinheld.server, "
        "waitress.server"
    )
    header = ("event.h", "libevent-dev")
    finishes_in_flight = True

    @classmethod
    def steps(cls, pins: Requirements) -> tuple[Step, ...]:
        """Packages compiled with flags come last; pip's cache ignores flags."""
        compiled = [line for line in pins.lines if line.partition("==")[0] in SWITCHES]
        plain = tuple(line for line in pins.lines if line not in compiled)
        return (
            Step(requirements=Requirements(lines=plain), options=("--no-deps",)),
            *(
                Step(
                    requirements=Requirements(lines=(line,)),
                    options=("--no-deps", "--no-cache-dir"),
                    variables={"CFLAGS": SWITCHES[line.partition("==")[0]]},
                )
                for line in compiled
            ),
        )

    @classmethod
    def files(cls) -> Mapping[str, str]:
        return {"heritage.pth": SSL3}


class Gevent(Stack2012):
    """gevent's WSGI server in Python."""

    name = "heritage-2012-gevent"
    backend = "gevent"


class FastGevent(Stack2012):
    """gevent's other WSGI server, with the HTTP parser of libevent; closes every connection."""

    name = "heritage-2012-fastgevent"
    backend = "fastgevent"
    keeps_alive = False


class Meinheld(Stack2012):
    """meinheld: parser and loop in C; closes every connection."""

    name = "heritage-2012-meinheld"
    backend = "meinheld"
    keeps_alive = False


class Waitress(Stack2012):
    """waitress: a pool of threads in each process."""

    name = "heritage-2012-waitress"
    backend = "waitress"
    finishes_in_flight = False
