"""Round-trip times of WebSocket messages against the responder's own log."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import accuracy, ours, socket_responder
from benchmarks.machine import own_cpus
from benchsuite.core.samples import MESSAGE, Kind
from benchsuite.core.specs import OPEN, LoadProfile
from benchsuite.stats import histogram
from tests.truth.test_known_answers import PERCENTS, TRIES, highest, lowest

pytestmark = pytest.mark.alone

CONNECTIONS, RATE, SECONDS = 100, 400.0, 2.0
TIMES = "uniform:1ms,10ms"
SOCKETS = Path(socket_responder.__file__)


def our_load(server: ours.Responding, connections: int, rate: float, seconds: float) -> ours.Loaded:
    """Our load process, as a run uses it."""
    profile = LoadProfile(
        model=OPEN,
        arrival_rate=rate,
        max_in_flight=connections,
        warmup_s=1.0,
        duration_s=seconds,
        timeout_s=5.0,
    )
    return ours.load(
        server.url,
        profile,
        cpu=own_cpus()[0],
        run_header=server.token,
        workload="benchsuite.workloads.ws_echo.WsEcho",
        options={"path": "/"},
        unit=MESSAGE,
    )


def test_round_trips_are_those_of_the_responder(tmp_path: Path) -> None:
    for _ in range(TRIES):
        far_off = strained(tmp_path)
        if not far_off:
            return
    pytest.fail(f"too far from the responder's own log: {far_off}")


def strained(folder: Path) -> list[str]:
    """The percentiles that are further from the log than they may be."""
    cpu = own_cpus()[1]
    with ours.responding(TIMES, folder, cpu=cpu, program=SOCKETS) as target:
        loaded = our_load(target, CONNECTIONS, RATE, SECONDS)
    assert set(loaded.requests["kind"]) == {Kind.OK}
    # one more: the journey that is checked before the load
    assert len(target.times()) == len(loaded.requests) + 1
    begin, end = loaded.done.window
    assert len(loaded.window) == RATE * SECONDS
    rows = target.times()
    rows = rows[(rows[:, 0] >= begin) & (rows[:, 0] < end)]
    true = accuracy.percentiles_of(rows[:, 1] - rows[:, 0])
    times = loaded.window["finish"] - loaded.window["start"]
    shown = histogram.values_at(histogram.of(times), PERCENTS)
    lag_s = loaded.done.lag_p99_s
    assert lag_s is not None
    return [
        f"p{percent} {1e3 * shown[percent]:.2f} ms, and was {1e3 * true[percent]:.2f} ms"
        for percent in PERCENTS
        if not lowest(true[percent]) <= shown[percent] <= highest(true[percent], lag_s)
    ]


def test_no_message_comes_back_before_its_time(tmp_path: Path) -> None:
    cpu = own_cpus()[1]
    with ours.responding(TIMES, tmp_path, cpu=cpu, program=SOCKETS) as target:
        loaded = our_load(target, 1, 50.0, 1.0)
    rows = target.times()[1:]  # the first was the check
    seen = np.sort(loaded.requests, order="start")
    assert len(rows) == len(seen) == 100
    assert (seen["start"] < rows[:, 0]).all()
    assert (seen["finish"] >= rows[:, 0] + rows[:, 2]).all()
    assert np.allclose(np.diff(seen["intended_start"]), 0.02)
