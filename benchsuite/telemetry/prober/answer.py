"""Asks a server, once or until it answers, whether it is the one that this run started."""

import re
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from benchsuite.core.specs.visitor import over
from benchsuite.core.units import format_bytes, format_period
from benchsuite.core.wording import quoted
from benchsuite.system.network import client_context, tls_words
from benchsuite.telemetry.prober.program import BLOCK_BYTES, RUN_HEADER, SHOWN_BYTES

ASKED_HEADER = "X-Benchsuite-Asked"  #: Asks a target that already runs how often it was asked.
MAX_HEAD_BYTES = 256 * 1024  #: Of an answer's header; servers and browsers take 8 to 256 KiB.
LEAVE_BYTES = 1024 * 1024
LEAVE_S = 0.2
"""Of the body, before we hang up, so that no server writes an error into its log."""
END = re.compile(rb"\r?\n\r?\n")
STATUS = re.compile(rb"HTTP/\d\.\d ([1-9]\d\d)(?: [^\r\n]*)?\r?\n")


class NotAnswered(Exception):
    """There was no answer, or none of HTTP; the message says what came instead."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an answer begins with."""

    status: int
    run: str | None  #: The token of the run that the server belongs to; None without any.
    asked: str | None = None  #: "COUNT HOST", where a target that already runs was asked for it.


def ask(url: str, *, headers: Mapping[str, str] | None = None, timeout_s: float) -> Head:
    """The header of the answer to one GET within `timeout_s`, and no more; raises NotAnswered."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(f"The probe wants http(s)://host:port/path, and got {url!r}.")
    deadline = time.monotonic() + timeout_s
    fields = over({"Host": parts.netloc, "Accept-Encoding": "identity"}, headers or {})
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    lines = [f"{name}: {value}" for name, value in fields.items()]
    lines = [f"GET {quoted(path)} HTTP/1.1", *lines, "Connection: close", "", ""]
    head, came = None, b""
    with _connected(parts.scheme, parts.hostname, parts.port, timeout_s) as connection:
        try:
            connection.sendall("\r\n".join(lines).encode("latin-1"))
            while head is None:
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    raise TimeoutError
                connection.settimeout(left_s)
                if not (block := connection.recv(min(BLOCK_BYTES, MAX_HEAD_BYTES - len(came)))):
                    raise ConnectionError("closed")
                came += block
                head = _head(came)
        except TimeoutError:
            waited, size = format_period(timeout_s), format_bytes(len(came))
            what = f"it takes a connection and sends nothing for {waited}"
            if came:
                what = f"after {waited} its header has no end, with {size} by now"
            raise NotAnswered(what) from None
        except OSError as error:
            where = "within the header of its answer" if came else "without an answer"
            how = error.strerror or error
            raise NotAnswered(f"it ends the connection {where} ({how})") from None
        left, until = LEAVE_BYTES, time.monotonic() + LEAVE_S
        with suppress(OSError):  # how the body ends, or that it doesn't, says nothing
            while left > 0 and (left_s := until - time.monotonic()) > 0:
                connection.settimeout(left_s)
                if not (block := connection.recv(BLOCK_BYTES)):
                    break
                left -= len(block)
    return head


def _connected(scheme: str, host: str, port: int | None, timeout_s: float) -> socket.socket:
    port = port or (443 if scheme == "https" else 80)
    try:
        plain = socket.create_connection((host, port), timeout=timeout_s)
    except TimeoutError:
        raise NotAnswered(f"it took no connection for {format_period(timeout_s)}") from None
    except OSError as error:
        raise NotAnswered(f"there is no connection to it: {error.strerror}") from None
    if scheme == "http":
        return plain
    try:
        return client_context(host).wrap_socket(plain, server_hostname=host)
    except OSError as error:
        plain.close()
        why = tls_words(error) if isinstance(error, ssl.SSLError) else str(error)
        raise NotAnswered(f"it does not speak TLS: {why}") from None


def _head(came: bytes) -> Head | None:
    """The header, once it is whole, after those that only announce an answer. Raises NotAnswered
    where this can't become an answer any more.
    """
    begin = 0
    while end := END.search(came, begin):
        head = came[begin : end.end()]
        if (status := STATUS.match(head)) is None:
            raise NotAnswered(f"what it answers is no HTTP: {head[:SHOWN_BYTES]!r}")
        if status[1][:1] != b"1":
            lines = head.decode("latin-1").splitlines()[:0:-1]  # the first of a name counts
            fields = (line.partition(":") for line in lines)
            values = {name.lower(): value.strip(" \t") for name, _, value in fields}
            ours = (values.get(name.lower()) for name in (RUN_HEADER, ASKED_HEADER))
            return Head(int(status[1]), *ours)
        begin = end.end()
    rest = came[begin:]
    if not b"HTTP/".startswith(rest[: len(b"HTTP/")]):
        raise NotAnswered(f"what it answers is no HTTP: {rest[:SHOWN_BYTES]!r}")
    if len(came) >= MAX_HEAD_BYTES:
        size = format_bytes(MAX_HEAD_BYTES)
        raise NotAnswered(f"its header has no end in {size}, and no more is read")
    return None


FIRST_S = 2.0
"""How long the first question waits. Each that ran out of time is followed by one of twice the
patience: a slow page is answered at last, and a connection that got lost holds nobody up long."""
LEAST_S = 0.1


@dataclass
class Probe:
    """Callable: whether the server now answers with this run's header, whatever the status."""

    url: str
    run_header: str
    timeout_s: float = field(kw_only=True)  #: How long all questions together may take.
    headers: Mapping[str, str] | None = field(default=None, kw_only=True)
    heard: str = field(default="", init=False)  #: What came last that was not the answer, in words.

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.timeout_s
        self._patience_s = FIRST_S

    def __call__(self) -> bool:
        begin = time.monotonic()
        patience_s = max(LEAST_S, min(self._patience_s, self._deadline - begin))
        try:
            head = ask(self.url, headers=self.headers, timeout_s=patience_s)
        except NotAnswered as error:
            self.heard = str(error)
            if time.monotonic() - begin >= self._patience_s:
                self._patience_s *= 2
            return False
        if head.run == self.run_header:
            return True
        whose = "another run's" if head.run else "no"
        self.heard = (
            f"it answers {head.status} with {whose} run header, so it is not the application that "
            "was started, or what stands before that fails or takes headers away"
        )
        return False
