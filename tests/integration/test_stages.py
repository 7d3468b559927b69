"""Several levels of users in one load: each by itself, and nobody is cut off at a step down."""

from pathlib import Path

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from benchsuite.runner.figures import Figures
from tests.integration.loads import a_job, load
from tests.integration.stubs_http import Responder, after

pytestmark = pytest.mark.alone


def test_each_stage_has_its_own_users(tmp_path: Path) -> None:
    with Responder({"/": after(0.01)}) as responder:
        job = a_job(responder, users=4, stages=(1.0, 4.0, 2.0), warmup_s=0.2, duration_s=0.5)
        result = load(tmp_path, job)
    figures = Figures(result.samples, result.names, result.done, job.load)
    stages = list(figures.stages)
    assert [one.name for one in stages] == ["1 user", "4 users", "2 users"]
    assert [one.order for one in stages] == [1, 2, 3]
    assert [round(one.concurrency or 0) for one in stages] == [1, 4, 2]
    total = figures.total
    assert total.requests == sum(one.requests for one in stages) < result.requests()
    assert np.isclose(total.goodput, np.mean([one.goodput for one in stages]))
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"] - 1}, "nobody was cut off"
    begins = [one.phase.value for one in figures.intervals]
    assert begins[0] == "warm-up"


def test_users_of_a_locustfile_rise_from_stage_to_stage(tmp_path: Path) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text(
        "from locust import FastHttpUser, task\n"
        "class Visitor(FastHttpUser):\n"
        "    @task\n"
        "    def page(self): self.client.get('/')\n"
    )
    with Responder({"/": after(0.01)}) as responder:
        job = a_job(
            responder,
            locustfile=str(file),
            users=3,
            stages=(1.0, 3.0),
            warmup_s=0.2,
            duration_s=0.5,
        )
        result = load(tmp_path, job)
    low, high = Figures(result.samples, result.names, result.done, job.load).stages
    assert [round(one.concurrency or 0) for one in (low, high)] == [1, 3]
