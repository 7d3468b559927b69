"""Whether intervals of few starts, claims and trends of studies keep their word: known truth.

    python -m benchmarks.claims [--worlds 300]

Prints how often the intervals of two to four starts hold the true ratio, and those of failures the
true number; how often claims that are true, at the very edge of their region, come out "doesn't
hold", also where they are decided as it goes; how often the best of several arms is named; and how
often a step is found in a trend where there is none. Calls what pages and command call. Takes two
to eight minutes.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import t

from benchmarks.table import show
from benchsuite.studies.claims import (
    LOOKS,
    Outcome,
    answered,
    doubts_of_claims,
    in_doubt,
    is_hoped,
    judge,
)
from benchsuite.studies.intervals import Interval, Kind, Scatter, Side, interval, scatter
from benchsuite.studies.measured import Execution, MeasuredCell, Start, State
from benchsuite.studies.study import Answer, Axis, Check, Objective, Study, Value
from benchsuite.studies.trend import trends
from tests.unit.studies import worlds

NOISE = 0.03  #: Of a start, on the logarithm; of the middle cell.
UNLIKE = ((0.0, "all cells alike"), (0.5, "cells × 0.4–2.7"), (1.0, "cells × 0.14–7.1"))
"""How far the cells' noises lie apart on the logarithm, and between what 95 % of them lie."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=300, help="studies a row")
    count = parser.parse_args().worlds
    began = time.monotonic()
    generator = np.random.default_rng(20151022)
    coverage(generator, count)
    edges(generator, count)
    alarms(generator, count)
    sequences(np.random.default_rng(20151022), count)
    drifting(np.random.default_rng(20151022), count)
    generator = np.random.default_rng(20151022)
    failing(generator, count)
    leading(generator, count)
    print(f"\n{count} studies a row, {time.monotonic() - began:.0f} s")


def world(
    generator: Generator, cells: int, starts: int, unlike: float, *, skewed: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Figures of cells that are all 1 in truth, and each cell's noise."""
    noises = NOISE * np.exp(unlike * generator.standard_normal(cells))
    if skewed:
        drawn = generator.exponential(size=(cells, starts)) - 1
    else:
        drawn = generator.standard_normal((cells, starts))
    return np.exp(noises[:, None] * drawn), noises


def coverage(generator: Generator, count: int) -> None:
    """Ours, and Welch with the two cells alone."""
    rows = []
    for skewed in (False, True):
        for unlike, words in UNLIKE:
            for cells, starts in ((6, 2), (27, 2), (27, 4)):
                held = np.array(
                    [
                        _held(*world(generator, cells, starts, unlike, skewed=skewed))
                        for _ in range(count)
                    ]
                )
                told = (f"{100 * share:.1f}" for share in held.mean(axis=0))
                name = f"{'exponential' if skewed else 'log-normal'}, {words}"
                rows.append([name, str(cells), str(starts), *told])
    show(
        "The 95 % interval of a ratio holds the true one, in % of the pairs of cells",
        [
            "noise of the starts",
            "cells",
            "starts",
            "ours",
            "Welch, two cells",
            "ours, noisiest two",
            "Welch, noisiest two",
        ],
        rows,
    )


def _held(figures: NDArray[np.float64], noises: NDArray[np.float64]) -> list[float]:
    of_all = scatter(figures.tolist())
    pairs = [(figures[at], figures[at + 1]) for at in range(0, len(figures) - 1, 2)]
    first, second = np.argsort(-noises)[:2]
    noisiest = [(figures[first], figures[second])]
    return [
        float(np.mean([holds(a, b) for a, b in some]))
        for some in (pairs, noisiest)
        for holds in (partial(_ours, of_all=of_all), _welch)
    ]


def _ours(a: NDArray[np.float64], b: NDArray[np.float64], of_all: Scatter) -> bool:
    found = interval(Kind.RATIO, Side(a.tolist(), of_all), Side(b.tolist(), of_all))
    return bool(_holds(found, 1.0))


def _welch(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    parts = [np.log(side).var(ddof=1) / len(side) for side in (a, b)]
    freedom = sum(parts) ** 2 / sum(part**2 / (len(a) - 1) for part in parts)
    far = abs(np.log(a).mean() - np.log(b).mean())
    return bool(far <= t.ppf(0.975, freedom) * math.sqrt(sum(parts)))


FAILING: dict[str, Callable[[Generator, float, tuple[int, int]], NDArray[np.int64]]] = {
    "each by itself": lambda generator, mean, shape: generator.poisson(mean, shape),
    "in bursts, starts × 0–3.7": lambda generator, mean, shape: generator.poisson(
        mean * generator.exponential(size=shape)
    ),
    "in one start of ten alone": lambda generator, mean, shape: generator.poisson(
        10 * mean * (generator.random(shape) < 0.1)
    ),
}
"""How failures come, with so many in the mean of all starts."""


def failing(generator: Generator, count: int) -> None:
    """Of failures that are counted, in six cells that are all alike."""
    rows = []
    for words, draw in FAILING.items():
        for starts in (2, 4):
            for mean in (0.2, 2.0, 20.0):
                held = np.array(
                    [_counted(draw(generator, mean, (6, starts)), mean) for _ in range(count)]
                )
                told = (f"{100 * share:.1f}" for share in held.reshape(-1, 3).mean(axis=0))
                rows.append([words, str(starts), f"{mean:g}", *told])
    show(
        "The 95 % interval of failures a start holds the true number, in % of the cells, and that "
        "of a difference in % of the pairs",
        ["failures come", "starts", "mean", "value", "difference", "no failure in"],
        rows,
    )


def _counted(counts: NDArray[np.int64], mean: float) -> list[list[float]]:
    cells = counts.astype(float).tolist()
    amounts = [[1.0] * len(one) for one in cells]
    of_all = scatter(cells, amounts)
    sides = [Side(one, of_all, amount) for one, amount in zip(cells, amounts, strict=True)]
    return [
        [
            _holds(interval(Kind.VALUE, one), mean),
            _holds(interval(Kind.DIFFERENCE, one, other), 0.0),
            float(not any(one.starts)),
        ]
        for one, other in zip(sides[::2], sides[1::2], strict=True)
    ]


def _holds(found: Interval, truth: float) -> float:
    low, high = found.low, found.high
    return float(low is not None and high is not None and low <= truth <= high)


def edges(generator: Generator, count: int) -> None:
    """Claims whose truth lies on the edge of the region, where it is hardest."""
    rows = []
    for unlike, words in UNLIKE:
        for starts in (2, 3, 5):
            cells = []
            for checks in (1, 4, 12):
                fewer = count if starts < 5 else count // 5
                wrong = sum(
                    judge(
                        study(2 * checks, checks),
                        execution(world(generator, 2 * checks, starts, unlike)[0].tolist()),
                    )[0].outcome
                    is Outcome.FAILS
                    for _ in range(fewer)
                )
                cells.append(f"{100 * wrong / fewer:.1f}")
            rows.append([words, str(starts), *cells])
    show(
        'A true claim, on the edge of its region, "doesn\'t hold", in % of the studies',
        ["noise of the cells", "starts", "1 check", "4 checks", "12 checks"],
        rows,
    )


FAR = {"on the edge": 0.0, "1 % off": 0.01, "5 % off": 0.05, "20 % off": 0.2}
"""How far the true ratio is from the edge of the region, on the logarithm."""


def sequences(generator: Generator, count: int) -> None:
    """Claims that are decided as it goes, until each is decided or its rounds end."""
    rows = []
    for unlike, words in UNLIKE:
        for name, far in FAR.items():
            wrong = right = starts = 0
            for _ in range(count):
                outcomes, made = _sequence(generator, unlike, far)
                wrong += outcomes.count(Outcome.FAILS)
                right += outcomes.count(Outcome.HOLDS)
                starts += made
            told = [100 * wrong / (CLAIMS * count), 100 * right / (CLAIMS * count)]
            each = starts / (2 * CLAIMS * count)
            rows.append([words, name, *(f"{share:.1f}" for share in told), f"{each:.1f}"])
    show(
        f"{CLAIMS} true claims, decided as it goes from two starts on: called wrong, found to "
        "hold, in %, and starts of a cell",
        ["noise of the cells", "truth", "wrong", "holds", "starts"],
        rows,
    )


CLAIMS = 4


def _sequence(generator: Generator, unlike: float, far: float) -> tuple[list[Outcome], int]:
    drawn, _ = world(generator, 2 * CLAIMS, 2 + LOOKS - 1, unlike)
    drawn[::2] *= math.exp(far)
    whole = study(2 * CLAIMS, CLAIMS)
    (claim,) = whole.claims
    asked = replace(whole, claims=tuple(replace(claim, checks=(one,)) for one in claim.checks))
    made, outcomes = [2] * len(drawn), [Outcome.UNTOLD] * CLAIMS
    for rounds_left in range(LOOKS - 1, -1, -1):
        seen = replace(
            execution([cell[:each].tolist() for cell, each in zip(drawn, made, strict=True)]),
            looks=LOOKS,
        )
        judgements = judge(asked, seen)
        for at, judgement in enumerate(judgements):
            if outcomes[at] is Outcome.UNTOLD:
                outcomes[at] = judgement.outcome
        doubts = doubts_of_claims(judgements)
        for cell in in_doubt(doubt for doubt in doubts if is_hoped(doubt, rounds_left)):
            made[int(cell["cell"])] += 1
    return outcomes, sum(made)


DRIFTS = {"none": 0.0, "1 % a start": 0.01, "3 % a start": 0.03}
"""How far the machine walks at random from one start to the next, on the logarithm."""


def drifting(generator: Generator, count: int) -> None:
    """The same in two orders: blocks of all cells, or of one claim's cells after another's."""
    rows = []
    for words, step in DRIFTS.items():
        told = []
        for together in (2 * CLAIMS, 2):
            wrong = 0
            for _ in range(count):
                drawn, _ = world(generator, 2 * CLAIMS, 2, 0.5)
                blocks = [
                    [(first + int(at), start) for at in generator.permutation(together)]
                    for first in range(0, 2 * CLAIMS, together)
                    for start in (0, 1)
                ]
                order = [place for block in blocks for place in block]
                walk = np.cumsum(step * generator.standard_normal(len(order)))
                for place, drift in zip(order, walk, strict=True):
                    drawn[place] *= math.exp(drift)
                whole = study(2 * CLAIMS, CLAIMS)
                (claim,) = whole.claims
                each = tuple(replace(claim, checks=(one,)) for one in claim.checks)
                seen = execution(drawn.tolist())
                found = [one.outcome for one in judge(replace(whole, claims=each), seen)]
                wrong += found.count(Outcome.FAILS)
            told.append(f"{100 * wrong / (CLAIMS * count):.1f}")
        rows.append([words, *told])
    show(
        f"{CLAIMS} true claims on the edge, two starts each, on a machine that drifts: called "
        "wrong, in %",
        ["drift", "blocks of all cells", "claim by claim"],
        rows,
    )


def study(cells: int, checks: int) -> Study:
    """Of a claim that every second cell is at least as much as the one after it."""
    edges = (
        Check(
            figure="goodput",
            cell={"cell": (str(2 * number),)},
            to={"cell": str(2 * number + 1)},
            ratio=(1.0, math.inf),
        )
        for number in range(checks)
    )
    values = tuple(Value(str(number), {}) for number in range(cells))
    return worlds.study(worlds.claim(*edges), axes=(Axis("cell", values),), figures=())


def execution(figures: Sequence[Sequence[float]]) -> Execution:
    return Execution(
        cells=[
            MeasuredCell(
                coordinates={"cell": str(number)},
                state=State.MEASURED,
                starts=[Start(figures={"goodput": one}) for one in cell],
            )
            for number, cell in enumerate(figures)
        ]
    )


def leading(generator: Generator, count: int) -> None:
    """The best arm of several that are alike but for one."""
    rows = []
    for unlike, words in UNLIKE:
        for arms in (3, 7):
            for starts in (2, 5):
                told = []
                fewer = count if starts < 5 else count // 5
                for gain in (0.01, 0.1):
                    found = [
                        _lead(world(generator, arms, starts, unlike)[0], gain) for _ in range(fewer)
                    ]
                    told += [f"{100 * sum(each) / fewer:.1f}" for each in zip(*found, strict=True)]
                rows.append([words, str(arms), str(starts), *told])
    show(
        "The best arm is among those named, is named alone, and another is, in % of the studies",
        ["noise of the arms", "arms", "starts"]
        + [f"{words}, {by} better" for by in ("1 %", "10 %") for words in LEADING],
        rows,
    )


LEADING = ("among", "alone", "another")


def _lead(figures: NDArray[np.float64], gain: float) -> tuple[bool, bool, bool]:
    figures[0] *= 1 + gain
    asked = replace(
        study(len(figures), 0),
        objective=Objective("goodput", "most"),
        answers=(Answer(asks="", choice=("cell",)),),
    )
    ((one,),) = (each.situations for each in answered(asked, execution(figures.tolist())))
    named = [arm.name for arm in one.best]
    return "0" in named, named == ["0"], "0" not in named and len(named) == 1


def alarms(generator: Generator, count: int) -> None:
    """Executions of equal cells, and of cells that rise by a tenth in the middle."""
    rows = []
    for cells in (1, 8, 27):
        for many in (6, 10, 20):
            fewer = max(count // 4, count // cells)
            false = found = 0
            for _ in range(fewer):
                drawn = [world(generator, cells, 2, 0.5)[0] for _ in range(many)]
                false += _any_step(drawn)
                risen = [one * (1.1 if at >= many // 2 else 1.0) for at, one in enumerate(drawn)]
                found += _any_step(risen)
            rows.append(
                [f"{cells}", str(many), f"{100 * false / fewer:.0f}", f"{100 * found / fewer:.0f}"]
            )
    show(
        "A step is found in any cell, two starts each, in % of the trends",
        ["cells", "executions", "no step", "all rise by 10 %"],
        rows,
    )


def _any_step(executions: Sequence[NDArray[np.float64]]) -> bool:
    return any(
        one.steps for one in trends([execution(one.tolist()) for one in executions], "goodput")
    )


if __name__ == "__main__":
    main()
