"""Asks a server once whether it is the one that this run started."""

import http.client
from contextlib import closing
from urllib.parse import SplitResult, urlsplit

from benchsuite.encryption import client_context

RUN_HEADER = "X-Benchsuite-Run"
"""Added to every answer by the application that a run serves; its value is the run's token."""


def answers_as(url: str, run_header: str, *, timeout_s: float = 2.0) -> bool:
    """Whether a GET is answered with this run's header, whatever its status.

    False for anything else: nobody listens, somebody else's server answers, the answer takes longer
    than `timeout_s` to begin or is no HTTP, or no TLS where the URL says https.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(f"The probe wants http(s)://host:port/path, and got {url!r}.")
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    with closing(_connection(parts, timeout_s)) as connection:
        try:
            connection.request("GET", path, headers={"Connection": "close"})
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return False
        return answer.getheader(RUN_HEADER) == run_header


def _connection(parts: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = str(parts.hostname)
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port, timeout=timeout_s)
    return http.client.HTTPSConnection(
        host, parts.port, timeout=timeout_s, context=client_context(host)
    )
