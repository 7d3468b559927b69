"""The figures of the originals, from stored seconds and parts of a run, and as docs/studies.md
tells them.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchsuite.core.results import Interval, Phase, Reading
from benchsuite.studies.figures import DERIVED, OPTIONS, values
from benchsuite.studies.study import Figure

DOCS = Path(__file__).parents[3] / "docs" / "studies.md"


class Rows(list[Any]):
    def all(self) -> list[Any]:
        return list(self)


def seconds(counts: list[int], failures: list[int] | None = None, warmup: int = 0) -> Rows:
    return Rows(
        Interval(
            second=at,
            phase=Phase.WARM_UP if at < warmup else Phase.WINDOW,
            successes=count,
            failures=(failures or [0] * len(counts))[at],
            users=10 * (at + 1),
        )
        for at, count in enumerate(counts)
    )


def record(**given: Any) -> Any:
    rows = {name: Rows() for name in ("intervals", "measurements", "readings")}
    return SimpleNamespace(**{"unit": "request", **rows, **given})


def measured(scope: str, order: int = 0, **given: Any) -> Any:
    return SimpleNamespace(**{"scope": scope, "order": order, "name": "", "requests": 0, **given})


def look(at: int, part: str) -> Reading:
    """At a part in that second."""
    cpu, memory, shift = {"target": (50.0 + at, 100 * at, 0.0), "front": (10.0, 10, 0.01)}.get(
        part, (99.0, 1000, 0.02)
    )
    known = None if at == 2 else memory
    return Reading(second=at + shift, part=part, cpu_percent=cpu, processes=2, memory_bytes=known)


def value(of: str, found: Any, scope: str = "window", **options: Any) -> float | None:
    return values([Figure(name="it", of=of, scope=scope, options=options)], found)["it"]


def test_values(golden):
    golden.values(replace={r"There are \d+": "There are many"})


def test_what_is_not_known_is_none_and_never_0():
    empty = record()
    for name in DERIVED:
        if name != "completions_per_5min":
            assert value(name, empty, DERIVED[name].scopes[-1]) is None, name


def test_every_derived_figure_is_told_as_it_is():
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    told = dict(row.strip("| ").split(" | ", 1) for row in rows)
    for figure, one in DERIVED.items():
        options = ", ".join(
            f"`{name}`" + ("" if value is None else f" ({value})")
            for name, value in one.options.items()
        )
        row = f"{one.says} | {options} | {', '.join(one.scopes)}"
        assert told.get(f"`{figure}`") == row, figure
    assert {name for one in DERIVED.values() for name in one.options} <= set(OPTIONS)
