"""What servers outside Django have in common: they do three things, at three paths."""

from pathlib import Path

from benchsuite.servers.base import BACKLOG, ServerAdapter

PROGRAMS = Path(__file__).parent / "programs"

CONSUMERS = ("/bench/ws/echo/", "/bench/ws/broadcast/", "/bench/ws/idle/")


class PeerAdapter(ServerAdapter):
    """One process that serves a program which comes with benchsuite."""

    interface = "own"
    max_processes = 1
    for_processes = "a peer is one process, as broadcasts stay within it"
    serves_project = False
    websocket = True
    consumers = CONSUMERS
    options = {"backlog": BACKLOG}

    def _check(self) -> None:
        super()._check()
        self._at_least(1, "backlog")
