"""How long a run takes, as the list and the run page say while it runs."""

from datetime import timedelta

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.models import Run
from benchsuite.store import overheads
from tests.factories import begin, make_run, make_spec


def run(**load):
    spec = LoadProfile(warmup_s=2.0, duration_s=10.0, **load)
    return Run(warmup_s=2.0, duration_s=10.0, spec={"load": spec.to_json()})


@pytest.mark.django_db
def test_what_past_runs_took_beside_their_load_and_drain_is_told_by_server():
    for beside_s in (3, 4, 20):
        made = make_run("uvicorn")
        load = LoadProfile.from_json(made.spec["load"])
        took_s = load.window_end_s + load.expected_drain_s(made.goodput) + beside_s
        made.ended_at = made.started_at + timedelta(seconds=took_s)
        made.save()
    make_run("daphne")  # stored before runs had an end
    begin(make_spec("waitress")).save()
    found = overheads(["uvicorn", "daphne", "waitress", "uvicorn"])
    assert found == {"uvicorn": pytest.approx(4, abs=0.01)}


def test_values(golden):
    golden.values()
