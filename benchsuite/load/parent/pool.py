"""Several load processes that make one load.

Locust's master and workers are not needed: they divide users over machines and merge statistics.
Here every process knows the whole profile and takes every n-th user or arrival, all begin at the
same moment of a shared clock, and samples are merged, not figures.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import reduce
from itertools import zip_longest
from operator import add
from pathlib import Path
from time import monotonic

from benchsuite.core.exceptions import LoadDiedError
from benchsuite.load.job import Done, Job, Rehearsal, Tick
from benchsuite.load.parent import driver
from benchsuite.load.parent.driver import LoadWorker, NameEntry, Samples, load_worker

Counted = tuple[tuple[float, int], ...]  #: (moment, count), one a second.

FEWEST_DUE = 20  #: Before fewer were due, their share tells nothing.

LEAD_S = 0.02  #: Per process: time to tell all of them when to begin.


@contextmanager
def load_pool(
    count: int,
    *,
    spool: Path,
    log: Path,
    env: Mapping[str, str] | None = None,
    on_cpus: Collection[int] | None = None,
) -> Iterator["LoadPool"]:
    """`count` load processes; on exit they are gone, whatever happened."""
    folders = [spool / f"load-{number}" for number in range(count)]
    with ExitStack() as stack:
        yield LoadPool(
            [
                stack.enter_context(load_worker(spool=folder, log=log, env=env, on_cpus=on_cpus))
                for folder in folders
            ],
            folders,
        )


class LoadPool:
    """All load processes, used like one `LoadWorker`."""

    def __init__(self, workers: Sequence[LoadWorker], folders: Sequence[Path]) -> None:
        self.pids = [worker.pid for worker in workers]
        self._workers = workers
        self._folders = folders
        self._ticks: dict[int, Tick] = {}
        self._ends_below = 0.0
        self.ended_at: Tick | None = None
        """Where too little was answered in time for the load to go on; None where it went on."""

    def check(self, job: Job) -> str:
        """Hands over the job; each process checks its journey. Returns what remains unchecked."""
        parts = len(self._workers)
        self._ends_below = job.load.ends_below or 0.0
        reports = [
            worker.check(replace(job, part=part, parts=parts))
            for part, worker in enumerate(self._workers)
        ]
        return reports[0]

    @property
    def posts(self) -> bool:
        """Whether the checked journey sent forms."""
        return self._workers[0].posts

    def rehearse(self, kind: str) -> Rehearsal:
        """Has one of the processes make another journey."""
        return self._workers[0].rehearse(kind)

    def run(self, on_tick: Callable[[Tick], None]) -> Done:
        """Starts the load and waits for its end; `on_tick` is called about once a second."""
        count = len(self._workers)
        begin = monotonic() + (LEAD_S * count if count > 1 else 0.0)
        for worker in self._workers:
            worker.go(begin)
        return self.wait(on_tick)

    def stop(self) -> None:
        """Asks all to close the window now."""
        for worker in self._workers:
            worker.stop()

    def wait(self, on_tick: Callable[[Tick], None]) -> Done:
        """Goes on waiting for the end of a load, after an exception has interrupted `run()`."""
        first, *further = self._workers

        def on_first(tick: Tick) -> None:
            for worker in further:
                worker.hear(self._noting(worker))
            whole = _sum([tick, *self._ticks.values()])
            if self.ended_at is None and self._is_hopeless(whole):
                self.ended_at = whole
                self.stop()
            on_tick(whole)

        done = [first.wait(on_first)]
        done += [worker.wait(self._noting(worker)) for worker in further]
        return merged(done)

    def salvaged(self) -> Done:
        """The end of a load one of whose processes died: the others are stopped and awaited."""
        self.stop()
        done = []
        for worker in self._workers:
            try:
                done.append(worker.wait(self._noting(worker)))
            except LoadDiedError:
                done.append(worker.salvaged())
        return merged(done)

    def _is_hopeless(self, tick: Tick) -> bool:
        return tick.due >= FEWEST_DUE and tick.in_time < self._ends_below * tick.due

    def samples(self) -> tuple[Samples, list[NameEntry]]:
        """The samples of all processes."""
        return driver.read_all_samples(self._folders)

    def _noting(self, worker: LoadWorker) -> Callable[[Tick], None]:
        def note(tick: Tick) -> None:
            self._ticks[worker.pid] = tick

        return note


def merged(parts: Sequence[Done]) -> Done:
    """The end of the whole load; CPU and lag are those of the busiest process."""
    # those that were not stopped end together, or have made their journeys, which all count
    end = min(
        (part.window[1] for part in parts if part.stopped),
        default=max(part.window[1] for part in parts),
    )
    compressed = [part.traffic for part in parts if part.traffic is not None]
    return Done(
        origin=min(part.origin for part in parts),
        window=(min(end, *(part.window[0] for part in parts)), end),
        stopped=any(part.stopped for part in parts),
        users=_each_second([part.users for part in parts]),
        connections=_each_second([part.connections for part in parts if part.connections]),
        cpu_percent=_most(part.cpu_percent for part in parts),
        lag_p50_s=_most(part.lag_p50_s for part in parts),
        lag_p99_s=_most(part.lag_p99_s for part in parts),
        sent=_sums([part.sent for part in parts]),
        dropped=_sums([part.dropped for part in parts]),
        unmade=sum(part.unmade for part in parts),
        traffic=reduce(add, compressed) if compressed else None,
    )


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _each_second(parts: Sequence[Counted]) -> Counted:
    """Sums what all counted at about the same time."""
    return tuple(
        (max(moment for moment, _ in second), sum(count for _, count in second))
        for second in zip(*parts, strict=False)
    )


def _sums(counts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(sum(stage) for stage in zip_longest(*counts, fillvalue=0))


def _sum(ticks: Sequence[Tick]) -> Tick:
    """For display only: of the percentiles, the worst."""
    known = [(tick.p50_s, tick.p95_s) for tick in ticks if tick.p50_s and tick.p95_s]
    waiting = [tick.awaited for tick in ticks if tick.awaited is not None]
    return Tick(
        elapsed_s=ticks[0].elapsed_s,
        users=sum(tick.users for tick in ticks),
        requests=sum(tick.requests for tick in ticks),
        failures=sum(tick.failures for tick in ticks),
        rate=sum(tick.rate for tick in ticks),
        p50_s=max((p50_s for p50_s, _ in known), default=None),
        p95_s=max((p95_s for _, p95_s in known), default=None),
        awaited=sum(waiting) if waiting else None,
        due=sum(tick.due for tick in ticks),
        in_time=sum(tick.in_time for tick in ticks),
    )
