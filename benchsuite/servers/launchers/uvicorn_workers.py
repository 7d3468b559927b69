"""Uvicorn's worker for gunicorn, with a choice of event loop and WebSocket library."""

import os

from uvicorn_worker import UvicornWorker

LOOP, WS = "BENCHSUITE_UVICORN_LOOP", "BENCHSUITE_UVICORN_WS"


class Worker(UvicornWorker):  # type: ignore[misc,unused-ignore]
    CONFIG_KWARGS = {
        **UvicornWorker.CONFIG_KWARGS,
        "loop": os.environ[LOOP],
        "ws": os.environ[WS],
    }
