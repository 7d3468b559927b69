"""Tornado as a WSGI server; see www.tornadoweb.org, "WSGIContainer"."""

from benchsuite.servers.base import KEEP_ALIVE_S, THREADS
from benchsuite.servers.launched import Launched

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
