"""Where the load goes, and samples and names on their way to the spool."""

import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic
from typing import Any, Self
from urllib.parse import urlsplit

from benchsuite.core.exceptions import LoadError, UsageError, last_line
from benchsuite.core.samples import RECORD, Kind
from benchsuite.core.wording import PORTS
from benchsuite.load.client.websocket.dialects import Dialect
from benchsuite.load.job import NAMES_FILE, OTHER_NAMES, SAMPLES_FILE, Job
from benchsuite.system import folders
from benchsuite.system.network import client_context

MAX_NAMES = 1000  #: More than anyone reads: journeys with numbers in paths pass `name=`.
Sample = tuple[int, int, int, int, float, float, float]
"""Number of name; kind and process; user; body bytes; when meant to start, started, finished."""
Begun = tuple[int, float, float]
"""Something in flight: the number of its name, when it was meant to start and when it did."""
Times = tuple[float, float, float]  #: When it was meant to start, started and finished.
Asked = tuple[str, str]  #: Method and path.
Failed = tuple[Kind, str]  #: The kind of a failure, and what happened in words.
Headers = Mapping[str, str]  #: Those that a journey has of its own.


class Recorder:
    """Records what clients and users did. This one discards what is only checked or given up."""

    def index(self, name: str, scope: str) -> int:
        """The number that stands for a name in the samples."""
        return 0

    def add(self, *sample: *Sample) -> None:
        """In the closed model a request is meant to start when it starts."""

    def example(
        self, index: int, kind: Kind, message: str, status: int | None = None, asked: str = ""
    ) -> None:
        """Keeps the first message of each name and kind, with the status of what was asked."""

    def until_now(self, scope: str, user: int, meant: float, start: float) -> None:
        """What had no name of its own (a pause, a request sent again) and ends now."""
        self.add(self.index(scope, scope), Kind.OK, user, 0, meant, start, monotonic())

    def unfinished(self, begun: Begun, user: int, moment: float) -> None:
        """Nobody waits any longer for the answer to what is in flight."""
        index, meant, start = begun
        self.add(index, Kind.UNFINISHED, user, 0, meant, start, moment)
        self.example(index, Kind.UNFINISHED, f"no answer {moment - start:.3g} s after it was sent")


class SpoolRecorder(Recorder):
    """Keeps packed samples until the next flush, once a second, outside of any request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / SAMPLES_FILE).open("wb")
        self._packed = bytearray()
        self._indexes: dict[tuple[str, str], int] = {}
        self._names: dict[int, dict[str, Any]] = {}  #: As `NAMES_FILE` has them.
        self._names_changed = True
        self.flush()

    def index(self, name: str, scope: str) -> int:
        if (index := self._indexes.get((name, scope))) is None:
            if len(self._indexes) >= MAX_NAMES and name != OTHER_NAMES:
                return self.index(OTHER_NAMES, scope)
            index = self._indexes[name, scope] = len(self._indexes)
            self._names[index] = {"name": name, "scope": scope, "examples": {}, "answers": {}}
            self._names_changed = True
        return index

    def add(self, *sample: *Sample) -> None:
        self._packed += RECORD.pack(*sample)

    def example(
        self, index: int, kind: Kind, message: str, status: int | None = None, asked: str = ""
    ) -> None:
        known = self._names[index]
        if kind not in known["examples"]:
            known["examples"][kind] = message
            if status is not None:
                known["answers"][kind] = status, asked
            self._names_changed = True

    def flush(self) -> None:
        """Writes what has come since; names first, so that every stored sample has one."""
        if self._names_changed:
            names = json.dumps(list(self._names.values()))
            folders.replace_private(self._folder / NAMES_FILE, names)
            self._names_changed = False
        packed, self._packed = self._packed, bytearray()
        self._file.write(packed)
        self._file.flush()

    def close(self) -> None:
        self.flush()
        self._file.close()


class LoadEnded(BaseException):
    """The window is over and no request is started any more; no `except Exception` may hold it."""


class RequestFailed(Exception):
    """A request without an answer ends its journey."""


class Gate:
    """Open as long as requests may be started."""

    closed = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where requests go, resolved once: looking a name up is not the server's time."""

    job: Job
    host: str  #: As the Host header says it: with the port, if it is not the usual one.
    place: str  #: Where it really is, host and port.
    name: str  #: The host without its port, as TLS names it to the server.
    family: int
    address: Any
    context: ssl.SSLContext | None  #: How to speak TLS; None for plain HTTP.
    dialect: type[Dialect] | None  #: What its WebSockets speak, where that is their own.

    @classmethod
    def of(cls, job: Job) -> Self:
        parts = urlsplit(job.base_url)
        if parts.scheme not in PORTS or parts.hostname is None:
            raise UsageError(
                f"A load goes to http://host:port or https://host:port, not to {job.base_url!r}."
            )
        family, address = _reached(parts.hostname, parts.port or PORTS[parts.scheme])
        return cls(
            job=job,
            host=job.visitor.host or parts.netloc,
            place=parts.netloc,
            name=parts.hostname,
            family=family,
            address=address,
            context=client_context(parts.hostname) if parts.scheme == "https" else None,
            dialect=imported("dialect", job.dialect) if job.dialect else None,
        )

    @property
    def base_url(self) -> str:
        return f"{'http' if self.context is None else 'https'}://{self.host}"


def imported(what: str, path: str) -> Any:
    """The class of this dotted path."""
    try:
        return resolve_name(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise LoadError(
            f"The load process can't import the {what} {path}: {last_line(error)}."
        ) from error


TRY_S = 2.0  #: How long one of several addresses of a name may take to be reached.


def _reached(host: str, port: int) -> tuple[int, Any]:
    """The first that answers, else the last: `localhost` is ::1, too, where few listen."""
    *before, last = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for family, kind, _, _, address in before:
        with suppress(OSError), socket.socket(family, kind) as tried:
            tried.settimeout(TRY_S)
            tried.connect(address)
            return family, address
    return last[0], last[4]
