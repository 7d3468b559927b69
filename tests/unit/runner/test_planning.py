"""The order of runs, the estimate, and what a spec is resolved to."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning
from benchsuite.runner.planning import resolve


def spec(server: str = "uvicorn", **changes: object) -> RunSpec:
    return RunSpec(server=ServerSpec(server=server), **changes)  # type: ignore[arg-type]


def test_every_block_holds_every_server_once() -> None:
    names = ["uvicorn", "daphne", "hypercorn", "waitress"]
    runs = planning.blocks([spec(name) for name in names], repeat=6, seed=1)
    blocks = [runs[start : start + 4] for start in range(0, 24, 4)]
    assert all(sorted(run.server.server for run in block) == sorted(names) for block in blocks)
    assert [{run.repetition for run in block} for block in blocks] == [{n} for n in range(1, 7)]
    assert len({tuple(run.server.server for run in block) for block in blocks}) > 1


def test_the_order_follows_the_seed() -> None:
    specs = [spec(name) for name in ("uvicorn", "daphne", "hypercorn")]
    assert planning.blocks(specs, 5, seed=7) == planning.blocks(specs, 5, seed=7)
    assert planning.blocks(specs, 5, seed=7) != planning.blocks(specs, 5, seed=8)


def test_each_start_has_a_seed_of_its_own() -> None:
    runs = planning.blocks([spec()], repeat=10, seed=0)
    assert len({run.seed for run in runs}) == 10
    assert len({run.key for run in runs}) == 1


@pytest.mark.parametrize("repeat", [0, -1, 1001])
def test_repeats_are_bounded(repeat: int) -> None:
    with pytest.raises(UsageError, match="--repeat must be between 1 and 1000"):
        planning.blocks([spec()], repeat=repeat, seed=0)


def test_unknown_names_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(
        UsageError, match=r"no server 'apache'; did you mean apache-daemon or .* There are: .*uwsgi"
    ):
        resolve(spec("apache"))
    with pytest.raises(UsageError, match=r"no workload 'slumber'; there are: .*io_read"):
        resolve(spec(workload=WorkloadSpec(workload="slumber")))
