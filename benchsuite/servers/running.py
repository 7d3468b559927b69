"""A target that already runs: a run starts nothing of it and sees nothing of it but its answers."""

from functools import cache
from urllib.parse import urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers.base import Available, ServerAdapter

PORTS = {"http": 80, "https": 443}
MOST_CHARACTERS = 100  #: Of the address, which stands where others have the name of a server.


class Running(ServerAdapter):
    """Its name is its address; nothing can be set, and its Python and its size are not known."""

    name = ""
    interface = "own"
    distribution = ""
    serves_project = False
    starts = False
    for_production = False
    websocket = True

    @classmethod
    def version(cls, python: Interpreter = OWN) -> str | None:
        return None

    @classmethod
    def available(cls, python: Interpreter = OWN) -> Available:
        return Available(True)

    def _check(self) -> None:
        """What can't be set of it is refused with all else that can't be had (`preflight`)."""


def is_address(name: str) -> bool:
    """Whether this is the address of a target, in place of the name of a server."""
    return "://" in name


@cache
def at(address: str) -> type[Running]:
    """The adapter of the target there; UsageError where that is no address of one."""
    return type("Running", (Running,), {"__module__": __name__, "name": origin(address)})


def origin(address: str) -> str:
    """The address as it is stored: "https://shop.example", "http://[::1]:8000"."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    bare = not (parts.username or parts.password or parts.path.strip("/") or parts.query)
    written = host.isascii() and not any(one.isspace() for one in host)
    if parts.scheme not in PORTS or not host or port == 0 or not bare or not written:
        raise UsageError(
            "--target must be http://HOST:PORT or https://HOST; give pages by --path, and a user "
            "by an Authorization header (--header), whose value is never stored."
        )
    shown = f"[{host}]" if ":" in host else host
    usual = PORTS[parts.scheme]
    whole = f"{parts.scheme}://{shown}{f':{port}' if port not in (None, usual) else ''}"
    if len(whole) > MOST_CHARACTERS:
        raise UsageError(
            f"--target has {len(whole)} characters, and {MOST_CHARACTERS} can be kept of one."
        )
    return whole
