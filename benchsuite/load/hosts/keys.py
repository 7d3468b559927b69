"""The key of load hosts: whoever has its file may join and be joined, and nobody else."""

import os
import re
import socket
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq
from zmq.utils import z85

from benchsuite.core.exceptions import UsageError

FIRST_LINE = "# A key of benchsuite's load hosts: keep it secret. It is the same on all of them."
LENGTH = 40  #: Characters of a CURVE key as text (Z85).
ZAP = "inproc://zeromq.zap.01"  #: Where ZeroMQ asks who may come in.
REFUSED = (
    zmq.Event.HANDSHAKE_FAILED_NO_DETAIL,
    zmq.Event.HANDSHAKE_FAILED_PROTOCOL,
    zmq.Event.HANDSHAKE_FAILED_AUTH,
)
"""What befalls a peer whose key is another, on one side or the other."""

HOST = re.compile(r"[\w.-]+|\[[0-9a-fA-F:.]+\]", re.ASCII)  #: A name, or an address.


def only_by_ipv6(host: str) -> bool:
    """Whether a host has no IPv4 address: of a name with both ZeroMQ takes one kind alone."""
    try:
        places = socket.getaddrinfo(host.strip("[]"), None)
    except (OSError, UnicodeError):  # either kind will do once it has one
        return True
    return all(family != socket.AF_INET for family, *_ in places)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a master waits for load hosts or an agent for commands, and the file with their key."""

    host: str
    port: int
    key_file: Path

    @classmethod
    def at(cls, address: str, key_file: str, *, flag: str) -> "Listening":
        """Of "10.0.0.1:5557"; raises UsageError, also for a file that holds no key."""
        host, _, port = address.rpartition(":")
        if not HOST.fullmatch(host) or not port.isdecimal() or not 0 < int(port[:6]) < 65536:
            raise UsageError(
                f"{flag} {address!r} is no address: write HOST:PORT, such as 10.0.0.1:5557."
            )
        read(Path(key_file))
        return cls(host, int(port), Path(key_file))


def write_new(path: Path) -> None:
    """Raises UsageError where there is a file already, or none can be."""
    _, secret = zmq.curve_keypair()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{path} exists, and a key is never replaced: name another file."
        ) from None
    except OSError as error:
        raise UsageError(f"No key can be written to {path}: {error.strerror}.") from error
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{FIRST_LINE}\n{secret.decode()}\n")


def read(path: Path) -> bytes:
    """The secret key that all share; UsageError for what is none, or can be read by everybody."""
    advice = "`benchworker --new-key FILE` writes one"
    try:
        with path.open() as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(1000)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"--key-file {path} can't be read: {why}; {advice}.") from error
    if mode & stat.S_IROTH:
        raise UsageError(f"Everybody on this machine can read --key-file {path}: chmod 600 it.")
    *_, last = text.split() or [""]
    try:
        key = last.encode("ascii")
        if len(key) != LENGTH:
            raise ValueError
        zmq.curve_public(key)  # raises for what is none
        return key
    except (ValueError, zmq.ZMQError):
        raise UsageError(f"--key-file {path} has no key of load hosts in it; {advice}.") from None


def secure(made: Any, key: bytes, host: str, most_bytes: int) -> None:
    """A socket before it is bound or connected: a server (ROUTER), or a client of one (DEALER)."""
    public = zmq.curve_public(key)
    made.curve_publickey, made.curve_secretkey = public, key
    made.setsockopt(zmq.MAXMSGSIZE, most_bytes)
    made.ipv6 = only_by_ipv6(host)
    if made.type == zmq.ROUTER:
        made.curve_server, made.zap_domain = True, b"benchsuite"
        made.setsockopt(zmq.ROUTER_HANDOVER, 1)  # who was cut off may come again
    else:
        made.curve_serverkey = public


def admission(request: Sequence[bytes], key: bytes) -> list[bytes]:
    """The answer to whether a client may come in (ZeroMQ's RFC 27): with this key alone."""
    version, number, _, _, _, mechanism, *credentials = request
    ok = mechanism == b"CURVE" and credentials == [z85.decode(zmq.curve_public(key))]
    return [version, number, b"200" if ok else b"400", b"", b"", b""]
