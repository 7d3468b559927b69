"""Runs made one at a time, as a study makes them: what comes next is known when one has ended."""

import os
import re
from dataclasses import replace

import pytest

from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.keeping import Results
from benchsuite.management.session import session
from benchsuite.models import Run
from benchsuite.runner.planning import resolve
from benchsuite.system import lock
from tests.integration.runs import Quiet

pytestmark = pytest.mark.django_db


class Listening(Quiet):
    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []
        self.ended: list[str] = []

    def begin(self, spec: RunSpec) -> None:
        self.begun.append(spec.server.server)

    def end(self, summary: str) -> None:
        self.ended.append(summary)


@pytest.mark.alone
def test_a_run_that_ends_early_has_the_figures_of_what_it_reached_and_says_where_it_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One thread that sleeps 0.1 s answers ten a second."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")
    spec = RunSpec(
        server=ServerSpec(server="waitress", threads=1),
        workload=WorkloadSpec(workload="sleep", options={"seconds": 0.1}),
        load=LoadProfile(
            model="open",
            arrival_rate=80.0,
            stages=(5.0, 40.0, 80.0),
            max_in_flight=50,
            in_turn=True,
            warmup_s=0.2,
            duration_s=3.0,
            timeout_s=2.0,
            ends_below=0.5,
            ends_within_s=0.5,
        ),
    )
    results, watcher = Results(lambda line: None, 1), Listening()
    with session(results, watcher, on_wait=lambda pid: None, on_build=lambda what: None) as at_work:
        row, _ = at_work.one(resolve(spec))
    assert (row.status, row.failure) == ("finished", "")
    said = row.settings_changed["(end of the load)"]
    assert re.fullmatch(
        r"at 40 /s, because of \d+ requests due only \d+ were answered right within 0\.5 s", said
    )
    stages = list(row.measurements.filter(scope="stage").order_by("order"))
    assert [one.name for one in stages] == ["5 /s", "40 /s"]


def test_three_different_runs_each_planned_when_the_one_before_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")
    said: list[str] = []
    results, watcher = Results(said.append, 3), Listening()
    first = RunSpec(
        server=ServerSpec(server="waitress", threads=2),
        load=LoadProfile(users=2, warmup_s=0.2, duration_s=1.0),
    )
    with session(results, watcher, on_wait=lambda pid: None, on_build=lambda what: None) as at_work:
        row, plain = at_work.one(resolve(first))
        assert Run.objects.get(pk=row.pk).status == "finished", "it is stored before the next"
        assert plain.total is not None
        assert (row.goodput, row.failures) == (plain.total.goodput, 0)

        missing = WorkloadSpec(workload="url", options={"path": "/no/such/page/"})
        row, refused = at_work.one(resolve(replace(first, workload=missing)))
        assert (row.status, refused.total) == ("failed", None)
        assert "/no/such/page/ answered 404" in row.failure

        users = 2 * max(1, round(plain.total.concurrency or 1))
        row, echo = at_work.one(
            resolve(
                RunSpec(
                    server=ServerSpec(server="daphne"),
                    workload=WorkloadSpec(workload="ws_echo"),
                    load=replace(first.load, users=users),
                )
            )
        )
        assert (row.status, row.failure, row.unit) == ("finished", "", "message")
        assert echo.total is not None
        assert echo.total.requests > 0
    assert [one.server for one in Run.objects.order_by("started_at")] == watcher.begun
    assert watcher.begun == ["waitress", "waitress", "daphne"]
    assert len(watcher.ended) == 3
    assert watcher.ended[1].startswith("failed: ")
    assert {run.batch for run in results.rows} == {results.batch}
    assert [line for line in said if not line.startswith("Follow")] == []
