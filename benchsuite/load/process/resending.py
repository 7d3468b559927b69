"""What FastHttpUser's client sends again by itself, held to the rules of our own client.

geventhttpclient sends a request of which it got nothing up to eleven times, and tells nobody.
`limited` lets it do so once, where a connection had rested, and says when (`connection.REST_S`).
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
    """From now on, in this process; `on_resend` is called in the greenlet that asks."""
    request, get_socket = HTTPClient.request, ConnectionPool.get_socket
    attempts: dict[Any, list[float]] = {}
    """When each greenlet that asks tried, and before that, when its client's last request ended."""
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
