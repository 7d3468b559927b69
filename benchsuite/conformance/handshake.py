"""The HTTP part of a WebSocket: RFC 6455, section 4."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from benchsuite.conformance.outcomes import Deviation

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Response:
    """A status and its headers, names in small letters."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str | None:
        """The first header of that name."""
        return next((value for one, value in self.headers if one == name), None)


def accept_key(key: str) -> str:
    """What the server must make of the client's key."""
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def request(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + END


def parsed(head: bytes) -> Response:
    """The answer whose head this is; raises Deviation for what is no HTTP."""
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
        raise Deviation(f"answers the handshake with {head[:40]!r}")
    pairs = (line.partition(":")[::2] for line in lines if line)
    return Response(int(rest[:3]), tuple((name.lower(), value.strip()) for name, value in pairs))
