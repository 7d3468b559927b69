"""Fronts end under load, with a parent that is killed, and leave nothing."""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from contextlib import closing, suppress
from pathlib import Path

import pytest

from benchsuite.system.network import ensure_port_free
from tests.integration.fronted import HOST, PROGRAMS, exchange, fronted
from tests.integration.left_behind import eventually, processes_with
from tests.needs import needs

ROOT = Path(__file__).parents[2]
NAMES = [pytest.param(name, marks=needs(name)) for name in PROGRAMS]


def alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("name", NAMES)
def test_ends_in_time_under_load_and_leaves_nothing(name: str) -> None:
    over = threading.Event()

    def ask(port: int) -> None:
        while not over.is_set():
            with (
                suppress(OSError, http.client.HTTPException),
                closing(http.client.HTTPConnection(HOST, port, timeout=5)) as connection,
            ):
                while not over.is_set():
                    exchange(connection)

    try:
        with fronted(name, 2) as served:
            clients = [threading.Thread(target=ask, args=(served.port,)) for _ in range(8)]
            for client in clients:
                client.start()
            time.sleep(0.5)
            pids = served.process.living()
            began = time.monotonic()
            served.process.end(served.adapter.stop_signal, served.adapter.grace_s)
            assert time.monotonic() - began < served.adapter.grace_s
            assert not [pid for pid in pids if alive(pid)]
            ensure_port_free(HOST, served.port)
    finally:
        over.set()
        for client in clients:
            client.join(20)
    assert processes_with(served.marker) == []
    assert not served.adapter.place.folder.exists()


PARENT = """
import tempfile, time
from pathlib import Path
from benchsuite.system.guard import guarded
from tests.integration.fronted import fronted
folder = Path(tempfile.mkdtemp(prefix="benchsuite-"))
with guarded({marker!r}, folder), fronted(
    {name!r}, 2, marker={marker!r}, folder=folder
) as served:
    print(folder, *served.process.living(), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("name", NAMES)
def test_goes_with_a_parent_that_is_killed(name: str) -> None:
    """nginx writes its title over the mark in its environment, and is found all the same."""
    marker = uuid.uuid4().hex
    with subprocess.Popen(
        [sys.executable, "-c", PARENT.format(marker=marker, name=name)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        assert parent.stdout is not None
        folder, *pids = parent.stdout.readline().split()
        assert pids
        parent.send_signal(signal.SIGKILL)
    assert eventually(lambda: not any(alive(int(pid)) for pid in pids))
    assert eventually(lambda: processes_with(marker) == [])
    assert eventually(lambda: not Path(folder).exists())
