"""Holds the retries of FastHttpUser's client to the rules of our own client.

geventhttpclient silently sends an unanswered request up to eleven times. `limited` lets it do so
once, where the connection had rested (`connection.REST_S`), and reports it.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any

import gevent
from geventhttpclient.client import HTTPClient
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPConnectionClosed

from benchsuite.load.client.http.connection import REST_S


def limited(on_resend: Callable[[], None]) -> None:
    """Applies to this process from now on; `on_resend` is called in the requesting greenlet."""
    request, get_socket = HTTPClient.request, ConnectionPool.get_socket
    attempts: dict[Any, list[float]] = {}
    """Of each requesting greenlet: when its client's last request ended, then its attempts."""
    ended: dict[ConnectionPool, float] = {}

    def noted_request(client: HTTPClient, *args: Any, **options: Any) -> Any:
        pool, current = client._connection_pool, gevent.getcurrent()
        attempts[current] = [ended.get(pool, monotonic())]
        try:
            return request(client, *args, **options)
        finally:
            del attempts[current]
            ended[pool] = monotonic()

    def noted_get_socket(pool: ConnectionPool) -> Any:
        made = attempts.get(gevent.getcurrent())
        if made is not None:
            if len(made) > 2 or (len(made) == 2 and made[1] - made[0] < REST_S):
                raise HTTPConnectionClosed("the connection was closed before the answer")
            if len(made) == 2:
                on_resend()
            made.append(monotonic())
        return get_socket(pool)

    HTTPClient.request = noted_request  # type: ignore[method-assign, assignment]
    ConnectionPool.get_socket = noted_get_socket  # type: ignore[method-assign, assignment]
