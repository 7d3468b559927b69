"""Ports of TCP, how our clients speak TLS, and how many sockets and files a process may open."""

import errno
import ipaddress
import resource
import socket
import ssl
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from benchsuite.core.exceptions import StartError, UsageError
from benchsuite.system.procfs import all_pids, command_line, open_files, read_text

LOCAL, STATE, INODE = 1, 3, 9  #: Columns of /proc/net/tcp (proc_pid_net(5)).
LISTENS = "0A"


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port that nobody listens on now."""
    with _socket(host, 0) as (listener, address):
        listener.bind(address)
        return int(listener.getsockname()[1])


def free_ports(host: str, count: int, besides: Collection[int]) -> list[int]:
    """So many free ports, each once, and none of `besides`."""
    ports: set[int] = set()
    while len(ports) < count:
        ports |= {free_port(host)}.difference(besides)
    return sorted(ports)


def ensure_port_free(host: str, port: int) -> None:
    """Raises StartError when nobody could listen there, naming who does where that is known."""
    with _socket(host, port) as (listener, address):
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise StartError(
                    f"Nothing can listen on {host}:{port}: {error.strerror}."
                ) from error
            pid = next(listeners(port), None)
            by = "" if pid is None else f" by process {pid} ({command_line(pid)[:100]})"
            raise StartError(
                f"Port {port} of {host} is taken{by}; end that or choose another port."
            ) from error


@contextmanager
def _socket(host: str, port: int) -> Iterator[tuple[socket.socket, tuple[object, ...]]]:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise StartError(f"There is no host {host!r}: {error.strerror}.") from error
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield listener, address


def listeners(port: int) -> Iterator[int]:
    """The processes that listen on a port, as far as they are ours to know."""
    tables = (read_text(f"/proc/net/{name}") for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables for line in table.splitlines()[1:]]
    sockets = {  # as links in /proc/PID/fd name them
        f"socket:[{row[INODE]}]"
        for row in rows
        if row[STATE] == LISTENS and int(row[LOCAL].rpartition(":")[2], 16) == port
    }
    for pid in all_pids() if sockets else ():
        if any(name in sockets for _, name in open_files(pid)):
            yield pid


def client_context(host: str) -> ssl.SSLContext:
    """For HTTP/1.1 over TLS. The host's certificate must be valid, except on loopback, where nobody
    can intercept, the run's token identifies the server, and certificates are mostly self-signed.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION  # nothing can be sent during one
    if is_loopback(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def is_loopback(host: str) -> bool:
    """Whether every address of this name is a loopback address; False for unknown names."""
    try:
        resolved = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    addresses = {str(entry[4][0]).partition("%")[0] for entry in resolved}
    return bool(addresses) and all(ipaddress.ip_address(one).is_loopback for one in addresses)


def ensure_known(host: str) -> None:
    """Raises UsageError where the name has no address."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"The host {host} has no address ({words}); is its name right?") from error


def tls_words(error: ssl.SSLError) -> str:
    """OpenSSL's message without its source location: "wrong version number"."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is invalid ({error.verify_message})"
    return (error.reason or str(error)).replace("_", " ").lower()


MARGIN = 256  #: Besides its connections: libraries, logs, databases, listeners, pipes.
LEAST = 64  #: The essential part of these: a lower hard limit still allows few connections.


def descriptors_needed(connections: int, ends: int = 1) -> int:
    """Open files of the process with the most; `ends` is 2 for a front, which forwards them."""
    return connections * ends + MARGIN


def check_descriptors(connections: int, ends: int = 1) -> None:
    """Raises UsageError when the limit is too low, and says how to raise it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = descriptors_needed(connections, ends)
    if hard != resource.RLIM_INFINITY and hard < connections * ends + LEAST:
        raise UsageError(
            f"{connections} connections need up to {count} open files in one process, and this "
            f"session is limited to {hard}; raise its hard limit (ulimit -n {count} as root, "
            "`nofile` in /etc/security/limits.conf, or LimitNOFILE= of its systemd unit), or use "
            "fewer at once (--users, --connections or --max-in-flight)."
        )


@contextmanager
def descriptors_raised(count: int) -> Iterator[str]:
    """Raises the limit for programs started in the block, if allowed; yields that in words."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= count:
        yield ""
        return
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield f"{wanted} open files a process instead of {soft}"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
