"""The stall: what each generator says of a target that stopped for a while."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic, sleep

import numpy as np
from numpy.typing import NDArray

from benchmarks import oracle, ours, programs
from benchmarks.machine import own_cpus, pinned
from benchmarks.ours import Responding
from benchmarks.table import markdown
from benchsuite.core.specs import LoadProfile

TIMES = "constant:1.5ms"
RATE = 200.0
USERS = 10
"""For those who can only pace users: twenty requests a second each."""
SHARE = 1 / 20
"""Of the run, in which the target is stopped."""
WITHIN = 0.10

ORACLE_RATE = 50.0
ORACLE_THREADS = 150
"""A stall up to 3 s long delays no other request of the oracle."""

WARMUP_S = 1.0
START_S = 2.5
"""Until a program of others has surely begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    rate: float
    percentiles: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    shown: Shown
    true_p99_s: float
    """By the oracle, over a window as long as the generator's with the stall in it."""

    @property
    def ratio(self) -> float:
        return self.shown.percentiles[99] / self.true_p99_s


class Stall:
    """Stops a process once for a while, from a thread."""

    def __init__(self, pid: int, length_s: float) -> None:
        self.begun = 0.0
        self._pid = pid
        self._length_s = length_s
        self._thread: threading.Thread | None = None

    def at(self, moment: float) -> None:
        self._thread = threading.Thread(target=self._stop_and_go, args=(moment,))
        self._thread.start()

    def join(self) -> None:
        assert self._thread is not None
        self._thread.join()

    def _stop_and_go(self, moment: float) -> None:
        sleep(max(0.0, moment - monotonic()))
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGSTOP)
            self.begun = monotonic()
            sleep(max(0.0, self.begun + self._length_s - monotonic()))
            os.kill(self._pid, signal.SIGCONT)


def _ours(target: Responding, profile: LoadProfile, stall: Stall) -> Shown:
    middle_s = profile.warmup_s + profile.duration_s / 2
    loaded = ours.load(
        target.url,
        profile,
        cpu=own_cpus()[0],
        run_header=target.token,
        on_go=lambda: stall.at(monotonic() + middle_s),
    )
    times = loaded.response_times
    return Shown(rate=loaded.rate, percentiles={one: _percentile(times, one) for one in (50, 99)})


def open_model(target: Responding, duration_s: float, stall: Stall) -> Shown:
    return _ours(
        target,
        LoadProfile(
            model="open",
            arrival_rate=RATE,
            warmup_s=WARMUP_S,
            duration_s=duration_s,
        ),
        stall,
    )


def closed(target: Responding, duration_s: float, stall: Stall) -> Shown:
    return _ours(
        target,
        LoadProfile(
            users=USERS,
            think_time_s=USERS / RATE - 0.002,
            warmup_s=WARMUP_S,
            duration_s=duration_s,
        ),
        stall,
    )


def wrk(target: Responding, duration_s: float, stall: Stall) -> Shown:
    return _foreign(
        stall,
        duration_s,
        lambda: programs.wrk(target.url, connections=2, duration_s=duration_s),
    )


def hey(target: Responding, duration_s: float, stall: Stall) -> Shown:
    return _foreign(
        stall,
        duration_s,
        lambda: programs.hey(target.url, connections=USERS, duration_s=duration_s, rate=RATE),
    )


def locust(target: Responding, duration_s: float, stall: Stall) -> Shown:
    return _foreign(
        stall,
        duration_s,
        lambda: programs.locust(target.url, user="Paced", users=USERS, duration_s=duration_s),
    )


def _foreign(stall: Stall, duration_s: float, program: Callable[[], programs.Figures]) -> Shown:
    stall.at(monotonic() + START_S + (duration_s - START_S) / 2)
    with pinned(own_cpus()[0]):
        figures = program()
    return Shown(rate=figures.rate, percentiles=figures.percentiles)


GENERATORS: dict[str, Callable[[Responding, float, Stall], Shown]] = {
    "ours, open": open_model,
    "ours, closed": closed,
    "wrk, 2 connections": wrk,
    "hey -q, 10 connections": hey,
    "Locust constant_throughput, 10 users": locust,
}


def trial(generator: str, duration_s: float, folder: Path) -> Trial:
    seen = folder / "oracle.bin"
    with ours.responding(TIMES, folder, cpu=own_cpus()[1]) as target:
        stall = Stall(target.process.pid, duration_s * SHARE)
        witness = subprocess.Popen(
            [
                *(sys.executable, "-P", oracle.__file__, "--port", str(target.port)),
                *("--rate", f"{ORACLE_RATE:g}", "--threads", str(ORACLE_THREADS)),
                *("--seconds", f"{2 * duration_s + 6:g}", "--log", str(seen)),
            ]
        )
        try:
            shown = GENERATORS[generator](target, duration_s, stall)
            stall.join()
            witness.send_signal(signal.SIGTERM)
            witness.wait(10)
        finally:
            witness.kill()
            witness.wait()
    return Trial(shown=shown, true_p99_s=_true_p99(seen, stall.begun, duration_s))


def _true_p99(log: Path, stalled: float, duration_s: float) -> float:
    rows = np.fromfile(log).reshape(-1, 3)
    begin = stalled - duration_s / 2
    rows = rows[(rows[:, 0] >= begin) & (rows[:, 0] < begin + duration_s)]
    if np.isnan(rows).any():
        raise SystemExit("the oracle lost a connection")
    return _percentile(rows[:, 2] - rows[:, 0], 99)


def _percentile(seconds: NDArray[np.float64], percent: float) -> float:
    return float(np.quantile(seconds, percent / 100, method="inverted_cdf"))


def table(trials: Mapping[str, list[Trial]]) -> str:
    head = ["", "requests/s", "p50 ms", "p99 ms", "true p99 ms", "shown / true"]
    return markdown(head, [_row(name, rounds) for name, rounds in trials.items()])


def _row(name: str, rounds: list[Trial]) -> list[str]:
    ratios = [one.ratio for one in rounds]
    return [
        name,
        f"{median(one.shown.rate for one in rounds):.0f}",
        f"{1e3 * median(one.shown.percentiles[50] for one in rounds):.1f}",
        f"{1e3 * median(one.shown.percentiles[99] for one in rounds):.1f}",
        f"{1e3 * median(one.true_p99_s for one in rounds):.1f}",
        f"{median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]",
    ]
