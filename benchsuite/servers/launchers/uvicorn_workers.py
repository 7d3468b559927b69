"""Uvicorn's worker for gunicorn, with a choice of event loop and WebSocket library."""

import os

from uvicorn_worker import UvicornWorker


class Worker(UvicornWorker):  # type: ignore[misc,unused-ignore]
    CONFIG_KWARGS = {
        **UvicornWorker.CONFIG_KWARGS,
        "loop": os.environ["UVICORN_LOOP"],
        "ws": os.environ["UVICORN_WS"],
    }
