"""Runs Chaussette with the back ends that it hides on Python 3, and without its access log.

    python -m benchsuite.servers.launchers.chaussette gevent [--nodelay] --fd 5 pkg.wsgi.application

The first word is the back end; the rest is Chaussette's own.
"""

import socket
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def main() -> None:
    backend, *rest = sys.argv[1:]
    if backend == "gevent":
        from gevent import monkey

        monkey.patch_all()
    from chaussette.backend import register
    from chaussette.server import main as chaussette

    made: type[Any] = import_module(f"chaussette.backend._{backend}").Server
    register(backend, _MENDED[backend](made))
    if "--nodelay" in rest:
        rest.remove("--nodelay")
        _without_delay(int(rest[rest.index("--fd") + 1]))
    sys.argv = ["chaussette", "--backend", backend, "--log-level", "error", *rest]
    chaussette()


def _gevent(server: type[Any]) -> type[Any]:
    """Without its access log, which it writes unless `log` is None."""

    class Quiet(server):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, log=None, **kwargs)

    return Quiet


def _bjoern(server: type[Any]) -> type[Any]:
    """Undoes Chaussette's blocking socket, on which processes would wait for each other."""

    class NotBlocking(server):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.sock.setblocking(False)

    return NotBlocking


def _meinheld(server: type[Any]) -> type[Any]:
    """Without its access log."""
    from meinheld.server import set_access_logger

    set_access_logger(None)
    return server


_MENDED: Mapping[str, Callable[[type[Any]], type[Any]]] = {
    "bjoern": _bjoern,
    "gevent": _gevent,
    "meinheld": _meinheld,
}


def _without_delay(descriptor: int) -> None:
    """Sets TCP_NODELAY, which accepted connections inherit from the socket."""
    listener = socket.socket(fileno=descriptor)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.detach()


if __name__ == "__main__":
    main()
