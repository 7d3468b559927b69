"""Our own load process against a responder, by the same way that a run takes."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from socket import create_connection

import numpy as np
from numpy.typing import NDArray

from benchmarks import responder
from benchmarks.machine import pinned
from benchsuite.core.samples import REQUEST, Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import Done, Job
from benchsuite.load.parent import driver
from benchsuite.load.parent.driver import load_pool
from benchsuite.system.network import free_port
from benchsuite.system.process import Process, running, wait_until_ready

READY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What our load process recorded; times are CLOCK_MONOTONIC seconds."""

    done: Done
    requests: driver.Samples
    """All of them, before and after the window too."""

    @property
    def window(self) -> driver.Samples:
        """Those that were meant to start in the window."""
        begin, end = self.done.window
        meant = self.requests["intended_start"]
        return self.requests[(meant >= begin) & (meant < end)]

    @property
    def failures(self) -> int:
        return int((self.requests["kind"] != Kind.OK).sum())

    @property
    def response_times(self) -> NDArray[np.float64]:
        right = self.window[self.window["kind"] == Kind.OK]
        times: NDArray[np.float64] = right["finish"] - right["intended_start"]
        return times

    @property
    def rate(self) -> float:
        """Requests finished a second of the window."""
        begin, end = self.done.window
        finish = self.requests["finish"]
        return float(((finish >= begin) & (finish < end)).sum() / (end - begin))


@dataclass(slots=True, kw_only=True)
class Responding:
    """A responder that runs, or has run."""

    url: str
    port: int
    token: str
    process: Process
    log: Path
    _times: NDArray[np.float64] | None = None

    def times(self) -> NDArray[np.float64]:
        """Rows (read, written, programmed); it must have ended."""
        if self._times is None:
            self._times = responder.times(self.log)
        return self._times


@contextmanager
def responding(times: str, folder: Path, *, cpu: int, seed: int = 0) -> Iterator[Responding]:
    """A responder with these programmed times; its log can be read afterwards."""
    port, token = free_port(), token_hex(8)
    log = folder / f"responder-{token}.bin"
    argv = [
        *(sys.executable, "-P", responder.__file__, "--port", str(port)),
        *("--times", times, "--seed", str(seed), "--log", str(log)),
    ]
    env = {**os.environ, "BENCHSUITE_RUN": token}
    with ExitStack() as stack:
        with pinned(cpu):
            process = stack.enter_context(
                running(argv, name="responder", log=folder / "log", env=env, marker=token)
            )
        wait_until_ready(process, lambda: _accepts(port), timeout_s=READY_S)
        url = f"http://127.0.0.1:{port}/"
        yield Responding(url=url, port=port, token=token, process=process, log=log)


def _accepts(port: int) -> bool:
    try:
        create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True


def load(
    url: str,
    profile: LoadProfile,
    *,
    cpu: int,
    run_header: str = "",
    on_go: Callable[[], None] = lambda: None,
) -> Loaded:
    """One load from start to end; `on_go` is called when the load is about to begin."""
    job = Job(
        base_url=url.rstrip("/"),
        run_header=run_header,
        workload_class="benchmarks.journeys.Get",
        workload=WorkloadSpec(),
        load=profile,
        spool="",
    )
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        with ExitStack() as stack:
            with pinned(cpu):
                pool = stack.enter_context(load_pool(1, spool=folder, log=folder / "load.log"))
            pool.check(job)
            on_go()
            done = pool.run(lambda tick: None)
            samples, names = pool.samples()
    scopes = np.array([entry.scope for entry in names], dtype=object)
    return Loaded(done=done, requests=samples[scopes[samples["name"]] == REQUEST])
