"""Runs Chaussette with the back ends that it hides on Python 3, and without its access log.
`--backend=gevent` comes first; `--nodelay` sets TCP_NODELAY; all else is Chaussette's own.
"""

import socket
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    backend = sys.argv[1].removeprefix("--backend=")
    if backend == "gevent":
        from gevent import monkey

        monkey.patch_all()
    from chaussette.backend import register
    from chaussette.server import main as chaussette

    server: type[Any] = import_module(f"chaussette.backend._{backend}").Server
    register(backend, mended(server, backend))
    if "--nodelay" in sys.argv:  # accepted connections inherit it from the socket
        sys.argv.remove("--nodelay")
        listener = socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1]))
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.detach()
    sys.argv[1:1] = ["--log-level", "error"]
    chaussette()


def mended(server: type[Any], backend: str) -> type[Any]:
    """Without an access log, and with sockets on which processes don't wait for each other."""
    if backend == "meinheld":
        from meinheld.server import set_access_logger

        set_access_logger(None)
        return server

    class Mended(server):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            # gevent's writes one unless `log` is None; bjoern's blocks its socket.
            super().__init__(*args, **({"log": None} if backend == "gevent" else {}), **kwargs)
            if backend == "bjoern":
                self.sock.setblocking(False)

    return Mended


if __name__ == "__main__":
    main()
