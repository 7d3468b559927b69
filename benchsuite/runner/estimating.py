"""How long runs will take: by past runs of their servers, and better with each that has ended."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from benchsuite.core.results import RunResult
from benchsuite.runner.plan import Plan

START_S = 1.2
"""What a run takes beside its load where nothing is known: server and load process up, first
answer, down again."""

DATA_S = 0.8  #: Making and migrating throw-away databases.

ROWS_PER_S = 250_000  #: How fast rows are seeded, roughly.


class Estimate:
    """Seconds of runs, told what they took. A cell that has run takes as long again; another one
    its load, its drain and what runs of its server take beside these.
    """

    def __init__(
        self,
        overheads: Mapping[str, float] | None = None,
        durations: Mapping[str, float] | None = None,
    ) -> None:
        """Of past runs: `overheads` are seconds that they took beside load and drain, by server;
        `durations` what they took in all, by the key of their cell.
        """
        self._past = dict(overheads or {})
        self._known = dict(durations or {})
        self._took: dict[str, list[float]] = defaultdict(list)  #: By the key of a cell.
        self._overheads: dict[str, list[float]] = defaultdict(list)  #: By server.
        self._goodputs: dict[tuple[str, ...], list[float]] = defaultdict(list)
        self._made: set[tuple[object, ...]] = set()

    def each_s(self, plans: Iterable[Plan]) -> list[float]:
        """Of these runs in their order; what they share counts where it is first made."""
        made, found = set(self._made), []
        for plan in plans:
            fresh = plan.data_key not in made
            made.add(plan.data_key)
            found.append(self.run_s(plan) + (_data_s(plan) if fresh else 0.0))
        return found

    def run_s(self, plan: Plan) -> float:
        """Of one run whose data is there."""
        if took := self._took.get(plan.spec.key):
            return median(took)
        if plan.spec.key in self._known:
            return self._known[plan.spec.key]
        load = plan.spec.load
        drain_s = load.expected_drain_s(self._goodput(plan))
        return load.window_end_s + drain_s + self._overhead_s(plan)

    def learn(self, plan: Plan, took_s: float, result: RunResult) -> None:
        """What a run took in all that has ended with a result."""
        if plan.data_key not in self._made:
            took_s = max(0.0, took_s - _data_s(plan))
            self._made.add(plan.data_key)
        self._took[plan.spec.key].append(took_s)  # one that fails will fail as fast again
        if result.total is None:
            return
        for key in _kinships(plan):
            self._goodputs[key].append(result.total.goodput)
        load = plan.spec.load
        drain_s = load.expected_drain_s(result.total.goodput)
        overhead_s = max(0.0, took_s - load.window_end_s - drain_s)
        self._overheads[plan.spec.server.server].append(overhead_s)

    def _overhead_s(self, plan: Plan) -> float:
        """Of this server, now or in the past; else of the others now."""
        server = plan.spec.server.server
        if known := self._overheads.get(server):
            return median(known)
        if server in self._past:
            return self._past[server]
        others = [one for some in self._overheads.values() for one in some]
        return median(others or self._past.values() or [START_S])

    def _goodput(self, plan: Plan) -> float | None:
        """Of those cells that are the nearest kin of this one; None where there is none yet."""
        for key in _kinships(plan):
            if known := self._goodputs.get(key):
                return median(known)
        return None


def _kinships(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The nearest first."""
    spec = plan.spec
    work, delay = spec.workload.workload, repr(spec.delay)
    return (work, delay, spec.server.server), (work, delay), (work,)


def _data_s(plan: Plan) -> float:
    if not plan.server.serves_project:
        return 0.0
    return DATA_S + (plan.data.rows / ROWS_PER_S if plan.workload.uses_rows else 0.0)
