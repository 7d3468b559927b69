"""What servers outside Django share: three consumers at three paths."""

from pathlib import Path

from benchsuite.servers.base import BACKLOG, ServerAdapter

PROGRAMS = Path(__file__).parent / "programs"

CONSUMERS = ("/bench/ws/echo/", "/bench/ws/broadcast/", "/bench/ws/idle/")


class PeerAdapter(ServerAdapter):
    """One process that serves a program of benchsuite."""

    interface = "own"
    max_processes = 1
    for_processes = "a peer runs as one process, because broadcasts stay within it"
    serves_project = False
    websocket = True
    consumers = CONSUMERS
    options = {"backlog": BACKLOG}
