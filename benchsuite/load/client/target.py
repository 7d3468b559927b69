"""Where the load goes, and whether it may still go there."""

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.visitor import SECRET
from benchsuite.core.units import listed
from benchsuite.load.job import Job
from benchsuite.system.network import client_context

RUN_HEADER = "X-Benchsuite-Run"

PORTS = {"http": 80, "https": 443}


class LoadEnded(BaseException):
    """The window is over and no request is started any more; no `except Exception` may hold it."""


class RequestFailed(Exception):
    """A request without an answer ends its journey."""


class Gate:
    """Open as long as requests may be started."""

    def __init__(self) -> None:
        self.closed = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where requests go, resolved once: looking a name up is not the server's time."""

    host: str  #: As the Host header says it: with the port, if it is not the usual one.
    place: str  #: Where it really is, host and port.
    name: str  #: The host without its port, as TLS names it to the server.
    family: int
    address: Any
    context: ssl.SSLContext | None  #: How to speak TLS; None for plain HTTP.
    run_header: str
    timeout_s: float
    keep_alive: bool
    keep_cookies: bool = False  #: Whether a user's cookies outlive the journey that got them.
    handshake_headers: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)
    """What every request sends beside what it needs."""
    given: str = ""  #: As whom or with what that may identify a user is asked, in words.
    logged_in: bool = False  #: Whether that is in a session of the run's.
    superuser: bool = False  #: Whether that may do everything.

    @classmethod
    def of(cls, job: Job) -> Self:
        parts = urlsplit(job.base_url)
        if parts.scheme not in PORTS or parts.hostname is None:
            raise UsageError(
                f"A load goes to http://host:port or https://host:port, not to {job.base_url!r}."
            )
        port = parts.port or PORTS[parts.scheme]
        addresses = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        return cls(
            host=job.visitor.host or parts.netloc,
            place=parts.netloc,
            name=parts.hostname,
            family=addresses[0][0],
            address=addresses[0][4],
            context=client_context(parts.hostname) if parts.scheme == "https" else None,
            run_header=job.run_header,
            timeout_s=job.load.timeout_s,
            keep_alive=job.load.keep_alive,
            keep_cookies=job.load.keep_cookies,
            handshake_headers=job.handshake_headers,
            headers=job.visitor.header_values,
            given=job.signed_in or _identifying(job),
            logged_in=bool(job.signed_in),
            superuser=job.superuser,
        )

    @property
    def base_url(self) -> str:
        return f"{'http' if self.context is None else 'https'}://{self.host}"


def _identifying(job: Job) -> str:
    """The options and cookies by which a page may know who asks, in words."""
    cookies = [f"prepare()'s cookie {name}" for name in job.cookies]
    given = [*(words for words in job.visitor.asked if SECRET.search(words)), *cookies]
    return f"with {listed(given)}" if given else ""
