"""Gunicorn's worker with Tornado, for applications as Django's: see `trimmed`."""

from typing import Any

from gunicorn.workers.gtornado import TornadoWorker

from benchsuite.servers.launchers.serving import trimmed


class Worker(TornadoWorker):  # type: ignore[misc,unused-ignore]
    wsgi: Any

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = trimmed(self.wsgi)
