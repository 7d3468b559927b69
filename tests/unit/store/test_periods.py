"""How long a run takes, as the list and the run page say while it runs."""

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.models import Run
from benchsuite.store.periods import planned_s, windows_s


def run(**load: object) -> Run:
    spec = LoadProfile(warmup_s=2.0, duration_s=10.0, **load)  # type: ignore[arg-type]
    return Run(warmup_s=2.0, duration_s=10.0, spec={"load": spec.to_json()})


@pytest.mark.parametrize(
    ("made", "planned", "windows"),
    [
        (run(users=10), 12.0, 10.0),
        (run(users=10, spawn_rate=5.0), 14.0, 10.0),
        (run(users=30, stages=(10.0, 20.0, 30.0)), 36.0, 30.0),
        (Run(warmup_s=2.0, duration_s=10.0, spec={}), 12.0, 10.0),
    ],
)
def test_each_stage_has_its_warm_up_and_its_window(
    made: Run, planned: float, windows: float
) -> None:
    assert (planned_s(made), windows_s(made)) == (planned, windows)
