"""Known answers: each generator's percentiles against what the responder really did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks import ours, programs
from benchmarks.machine import own_cpus, pinned
from benchmarks.ours import Responding
from benchmarks.table import markdown
from benchsuite.core.specs import LoadProfile
from benchsuite.stats import histogram

PERCENTS = range(50, 100)
SHOWN = (50, 90, 95, 99)
RELATIVE = 0.02
ABSOLUTE_S = 0.0002
WARMUP_S = 1.0
TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    times: str
    """As the responder takes it."""
    connections: int
    """So many that a closed loop makes more than 1 000 requests/s."""
    rate: float
    """The same for an open loop."""


CASES = (
    Case(times="constant:1.5ms", connections=2, rate=1100.0),
    Case(times="bimodal:5ms,50ms,0.075", connections=12, rate=1100.0),
    Case(times="pareto:1ms,1.5,200ms", connections=4, rate=1100.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a generator says."""

    rate: float
    percentiles: Mapping[int, float]
    window: tuple[float, float] | None
    """Of which moments; None for all of its life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    rate: float
    shown: Mapping[int, float]
    true: Mapping[int, float]

    def error(self, percent: int) -> float:
        return self.shown[percent] - self.true[percent]

    def strain(self, percent: int) -> float:
        """The error in units of what is allowed: above 1 is too much."""
        return abs(self.error(percent)) / max(RELATIVE * self.true[percent], ABSOLUTE_S)

    @property
    def worst(self) -> float:
        """The largest strain of any percentile that the generator gives."""
        return max(self.strain(percent) for percent in self.shown)


def percentiles_of(seconds: NDArray[np.float64]) -> dict[int, float]:
    """Nearest rank over all of them, by NumPy and not by benchsuite."""
    ranks = np.quantile(seconds, [one / 100 for one in PERCENTS], method="inverted_cdf")
    return dict(zip(PERCENTS, ranks.tolist(), strict=True))


def _ours(target: Responding, profile: LoadProfile) -> Shown:
    loaded = ours.load(target.url, profile, cpu=own_cpus()[0], run_header=target.token)
    if loaded.failures:
        raise SystemExit(f"{loaded.failures} of our requests failed")
    counted = histogram.of(loaded.response_times)
    values = histogram.values_at(counted, [float(one) for one in PERCENTS])
    return Shown(
        rate=loaded.rate,
        percentiles={int(percent): value for percent, value in values.items()},
        window=loaded.done.window,
    )


def closed(target: Responding, case: Case, duration_s: float) -> Shown:
    return _ours(
        target,
        LoadProfile(
            users=case.connections, warmup_s=WARMUP_S, duration_s=duration_s, timeout_s=TIMEOUT_S
        ),
    )


def open_model(target: Responding, case: Case, duration_s: float) -> Shown:
    return _ours(
        target,
        LoadProfile(
            model="open",
            arrival_rate=case.rate,
            warmup_s=WARMUP_S,
            duration_s=duration_s,
            timeout_s=TIMEOUT_S,
        ),
    )


def wrk(target: Responding, case: Case, duration_s: float) -> Shown:
    return _foreign(programs.wrk, target, case, duration_s)


def hey(target: Responding, case: Case, duration_s: float) -> Shown:
    return _foreign(programs.hey, target, case, duration_s)


def locust(target: Responding, case: Case, duration_s: float) -> Shown:
    def fast(url: str, *, connections: int, duration_s: float) -> programs.Figures:
        return programs.locust(url, user="Fast", users=connections, duration_s=duration_s)

    return _foreign(fast, target, case, duration_s)


def _foreign(
    program: Callable[..., programs.Figures], target: Responding, case: Case, duration_s: float
) -> Shown:
    with pinned(own_cpus()[0]):
        figures = program(target.url, connections=case.connections, duration_s=duration_s)
    given = {one: value for one, value in figures.percentiles.items() if one in PERCENTS}
    return Shown(rate=figures.rate, percentiles=given, window=None)


GENERATORS: dict[str, Callable[[Responding, Case, float], Shown]] = {
    "ours, closed": closed,
    "ours, open": open_model,
    "wrk": wrk,
    "hey": hey,
    "Locust FastHttpUser": locust,
}


def trial(generator: str, case: Case, duration_s: float, folder: Path, seed: int) -> Trial:
    with ours.responding(case.times, folder, cpu=own_cpus()[1], seed=seed) as target:
        shown = GENERATORS[generator](target, case, duration_s)
    rows = target.times()
    if shown.window is not None:
        begin, end = shown.window
        rows = rows[(rows[:, 0] >= begin) & (rows[:, 0] < end)]
    true = percentiles_of(rows[:, 1] - rows[:, 0])
    return Trial(rate=shown.rate, shown=shown.percentiles, true=true)


def table(trials: Mapping[str, list[Trial]]) -> str:
    """Medians over the rounds, errors in parentheses."""
    head = ["ms (error)", "requests/s", *(f"p{one}" for one in SHOWN), "strain", "within"]
    return markdown(head, [_row(name, rounds) for name, rounds in trials.items()])


def _row(name: str, rounds: list[Trial]) -> list[str]:
    cells = [name, f"{median(one.rate for one in rounds):.0f}"]
    for percent in SHOWN:
        shown = [one.shown[percent] for one in rounds if percent in one.shown]
        if shown:
            error = median(one.error(percent) for one in rounds)
            cells.append(f"{1e3 * median(shown):.2f} ({1e3 * error:+.2f})")
        else:
            cells.append("—")
    strains = [one.worst for one in rounds]
    cells.append(f"{median(strains):.1f} [{min(strains):.1f}, {max(strains):.1f}]")
    cells.append(f"{sum(strain <= 1 for strain in strains)} of {len(strains)}")
    return cells
