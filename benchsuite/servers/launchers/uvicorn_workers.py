"""Uvicorn's worker for gunicorn, with a choice of the WebSocket library."""

from uvicorn_worker import UvicornWorker


class Websockets(UvicornWorker):  # type: ignore[misc,unused-ignore]
    CONFIG_KWARGS = {**UvicornWorker.CONFIG_KWARGS, "ws": "websockets"}


class WebsocketsSansio(UvicornWorker):  # type: ignore[misc,unused-ignore]
    CONFIG_KWARGS = {**UvicornWorker.CONFIG_KWARGS, "ws": "websockets-sansio"}


class Wsproto(UvicornWorker):  # type: ignore[misc,unused-ignore]
    CONFIG_KWARGS = {**UvicornWorker.CONFIG_KWARGS, "ws": "wsproto"}
