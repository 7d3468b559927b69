"""The prober against a real server: what it writes down, and that nothing of it is left."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.probes import AT_ONCE, PATIENCE_S
from benchsuite.telemetry.prober.program import HUNG, LOST, RIGHT, RUN_HEADER, WRONG
from tests.integration.left_behind import eventually, processes_with
from tests.integration.stub import Stub, stub

LOAD = LoadProfile(users=10, timeout_s=5.0, duration_s=8.0)
PAUSE_S = 0.2
"""Forty times in such a window."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Stub]:
    with stub("good", tmp_path) as running:
        running.wait()
        yield running


@contextmanager
def prober(
    port: int, folder: Path, *, token: str = "somebody-else", load: LoadProfile = LOAD
) -> Iterator[probes.Watch]:
    request = probes.request_for(
        "/some/page/?with=query",
        base_url=f"http://127.0.0.1:{port}",
        token=token,
        load=load,
        headers={"Cookie": "sessionid=secret", "User-Agent": "somebody"},
        seed=1,
    )
    with probes.prober(request, load, folder=folder) as watch:
        yield watch


def probed(
    server: Stub, folder: Path, *, token: str = "", load: LoadProfile = LOAD
) -> list[probes.Probe]:
    """At least five probes of a server."""
    token = token or server.marker
    with prober(server.port, folder, token=token, load=load) as watch:
        assert eventually(lambda: len(watch.probes()) > 5)
        assert processes_with(token)
    return watch.probes()[:5]


@pytest.mark.parametrize("keep_alive", [True, False])
def test_it_asks_now_and_then_and_is_gone_afterwards(server, tmp_path, *, keep_alive):
    began = time.monotonic()
    load = LoadProfile(users=10, timeout_s=5.0, duration_s=8.0, keep_alive=keep_alive)
    made = probed(server, tmp_path, load=load)
    assert {one.outcome for one in made} == {RIGHT}
    assert all(0.0 <= one.late_s < 1.0 and 0.0 < one.waited_s < 1.0 for one in made)
    assert made[0].due > began, "by the monotonic clock, as all times of a run"
    assert min(after.due - before.due for before, after in pairwise(made)) >= PAUSE_S * 0.4
    connections = [1, 2, 1, 3, 2] if keep_alive else [1, 2, 3, 4, 5]
    assert [one.connection for one in made] == connections
    assert (tmp_path / "prober.json").stat().st_mode & 0o077 == 0, "it holds a session"
    assert eventually(lambda: processes_with(server.marker) == [server.process.pid])


def test_another_server_answers_wrongly(server: Stub, tmp_path: Path) -> None:
    made = probed(server, tmp_path, token="another-token")
    assert {one.outcome for one in made} == {WRONG}


def test_nobody_answers(server: Stub, tmp_path: Path) -> None:
    server.process.end(9, 1.0)
    assert {one.outcome for one in probed(server, tmp_path)} == {LOST}


def test_it_keeps_its_pace_while_answers_hang(tmp_path: Path) -> None:
    """The load is answered in 5 ms, a hundred times a second; the prober never is."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        prober(listener.getsockname()[1], tmp_path) as watch,
    ):
        for second in range(1, 6):
            watch.tick(float(second), 100 * second, 0.005)
        assert eventually(lambda: len(watch.probes()) > 2 * AT_ONCE)
        made = watch.probes()
    assert {one.outcome for one in made} == {HUNG}, "those that are under way, too"
    assert made[1].waited_s == pytest.approx(PATIENCE_S, abs=0.5)
    assert made[-1].waited_s < PATIENCE_S


def test_what_is_under_way_at_its_end_is_answered_and_nothing_more_is_asked(tmp_path: Path) -> None:
    seen: list[float] = []

    class Slow(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            seen.append(time.monotonic())
            time.sleep(0.4)
            self.send_response(200)
            self.send_header(RUN_HEADER, "slow")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Into no test's output."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with prober(server.server_address[1], tmp_path, token="slow") as watch:
            watch.tick(1.0, 100, 0.4)
            assert eventually(lambda: len(seen) > 3)
        made = watch.probes()
        assert len(made) == len(seen)
        assert {one.outcome for one in made} == {RIGHT}
        assert seen[-1] - made[-1].due < PAUSE_S
        server.shutdown()


def test_of_a_load_that_has_no_answer_yet_only_one_is_asked(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        prober(listener.getsockname()[1], tmp_path) as watch,
    ):
        assert eventually(lambda: len(watch.probes()) == 1)
        time.sleep(1.0)
        (probe,) = watch.probes()
    assert probe.waited_s > 0.9
