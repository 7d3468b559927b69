"""The prober against a real server: what it writes down, and that nothing of it is left."""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from benchsuite.probing import probes
from benchsuite.specs import LoadProfile
from tests.integration.left_behind import eventually, processes_with
from tests.integration.stub import Stub, stub


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Stub]:
    with stub("good", tmp_path) as running:
        running.wait()
        yield running


def probed(
    server: Stub, folder: Path, *, token: str = "", keep_alive: bool = True
) -> list[probes.Probe]:
    """At least five probes of a server."""
    request = probes.request_for(
        "/some/page/?with=query",
        base_url=f"http://127.0.0.1:{server.port}",
        token=token or server.marker,
        load=LoadProfile(users=10, timeout_s=5.0, keep_alive=keep_alive),
        headers={"Cookie": "sessionid=secret", "User-Agent": "somebody"},
        seed=1,
    )
    with probes.prober(request, folder=folder, on_cpus=None) as written:
        assert eventually(lambda: len(probes.read(written)) >= 5)
        assert processes_with(token or server.marker)
    return probes.read(written)


@pytest.mark.parametrize("keep_alive", [True, False])
def test_it_asks_now_and_then_and_is_gone_afterwards(
    server: Stub, tmp_path: Path, *, keep_alive: bool
) -> None:
    began = time.monotonic()
    made = probed(server, tmp_path, keep_alive=keep_alive)
    assert all(right for *_, right in made)
    assert all(due <= sent <= end for due, sent, end, _ in made)
    assert made[0][0] > began, "by the monotonic clock, as all times of a run"
    pauses = [after[0] - before[0] for before, after in pairwise(made)]
    assert min(pauses) >= probes.LEAST_PAUSE_S * 0.4
    assert (tmp_path / "prober.json").stat().st_mode & 0o077 == 0, "it holds a session"
    assert eventually(lambda: processes_with(server.marker) == [server.process.pid])


def test_another_server_answers_wrongly(server: Stub, tmp_path: Path) -> None:
    assert not any(right for *_, right in probed(server, tmp_path, token="another-token"))


def test_nobody_answers(server: Stub, tmp_path: Path) -> None:
    server.process.end(9, 1.0)
    assert not any(right for *_, right in probed(server, tmp_path))


def test_a_slow_page_is_asked_seldom(tmp_path: Path) -> None:
    """A probe of 0.3 s may be in flight for a tenth of the time, as ten users are there."""
    with stub("answers_slowly", tmp_path) as server:
        server.wait()  # a refused connection would be a quick probe
        request = probes.request_for(
            "/",
            base_url=f"http://127.0.0.1:{server.port}",
            token=server.marker,
            load=LoadProfile(users=10, timeout_s=0.3),
            headers={},
            seed=1,
        )
        with probes.prober(request, folder=tmp_path, on_cpus=None) as written:
            assert eventually(lambda: len(probes.read(written)) == 1)
            time.sleep(1.0)
            (probe,) = probes.read(written)
    assert not probe[3]
