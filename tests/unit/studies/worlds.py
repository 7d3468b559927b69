"""Executions with known truth: cells by setup and delay, and figures drawn for their starts."""

import random
from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import Any

from benchsuite.studies.measured import Execution, MeasuredCell, Start, State
from benchsuite.studies.study import Axis, Check, Claim, Figure, Study, Value

SETUPS, DELAYS = ("sync", "async"), ("0", "100", "200")

TRUTH = {("sync", "0"): 140.0, ("sync", "100"): 1.4, ("sync", "200"): 0.7} | {
    ("async", delay): 180.0 for delay in DELAYS
}


HALVES = Check(
    figure="plateau",
    cell={"setup": ("sync",), "delay": ("200",)},
    to={"delay": "100"},
    ratio=(0.4, 0.6),
)
FLAT = Check(
    figure="plateau",
    cell={"setup": ("async",), "delay": ("100", "200")},
    to={"delay": "0"},
    ratio=(0.8, 1.2),
)


def study(*claims: Claim, **given: Any) -> Study:
    axes = (
        Axis("setup", tuple(Value(one, {}) for one in SETUPS)),
        Axis("delay", tuple(Value(one, {}) for one in DELAYS)),
    )
    about = dict.fromkeys(("question", "text", "digest", "path"), "")
    figures = (Figure(name="plateau", of="goodput"),)
    asked = {"name": "worlds", "repeat": 2, "axes": axes, "figures": figures, "claims": claims}
    return Study(**{**about, **asked, **given})


def claim(*checks: Check, **needs: float) -> Claim:
    return Claim(name="it", says="It is so.", checks=checks, needs=needs)


def start(value: float | None, excluded: str = "", failed: str = "") -> Start:
    """Codes as people write them: "B201, B302"."""
    spoilt, wrong = (tuple(filter(None, one.split(", "))) for one in (excluded, failed))
    return Start(figures={"plateau": value}, excluded=spoilt, failed=wrong)


def cell(setup: str, delay: str, starts: Sequence[Start], **conditions: float) -> MeasuredCell:
    return MeasuredCell(
        coordinates={"setup": setup, "delay": delay},
        state=State.MEASURED,
        starts=starts,
        conditions=conditions,
    )


def execution(truth=TRUTH, *, starts=2, noise=0.02, seed=0, unlike=0.0, **conditions):
    drawn = random.Random(seed)
    cells = []
    for (setup, delay), value in truth.items():
        own = noise * exp(unlike * drawn.gauss())
        figures = [value * exp(own * drawn.gauss()) for _ in range(starts)]
        cells.append(cell(setup, delay, [start(one) for one in figures]))
    return Execution(cells=cells, conditions=conditions)


def changed(at: tuple[str, str], whole: Execution, **given: Any) -> Execution:
    """The execution with another cell there."""
    cells = [
        replace(one, **given) if tuple(one.coordinates.values()) == at else one
        for one in whole.cells
    ]
    return replace(whole, cells=cells)
