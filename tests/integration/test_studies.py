"""Studies and tunings of real runs: killed in the middle, interrupted by Ctrl-C, and resumed."""

import json
import os
import re
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest

from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.output import Screen
from benchsuite.management.session import Results, session
from benchsuite.runner.planning import resolve
from benchsuite.studies.claims import LOOKS
from benchsuite.system import lock
from tests.integration.command import Command, wait_for
from tests.integration.runs import Quiet
from tests.needs import audited
from tests.study_factories import STUDIES
from tests.unit.studies.test_documented import example

LONGEST_S = 180.0

STUDY = (STUDIES / "small.toml").read_text()
CELLS = {("waitress", "plain"), ("waitress", "missing"), ("sync", "plain")}
RUNS = """
SELECT json_extract(coordinates, '$.setup'), json_extract(coordinates, '$.page'), repetition,
status, benchsuite_run.id FROM benchsuite_run JOIN benchsuite_studycell
ON study_cell_id = benchsuite_studycell.id ORDER BY started_at
"""


@pytest.fixture
def study(command):
    """A command that knows the small study."""
    (command.folder / "small.toml").write_text(STUDY)
    command.env["BENCHSUITE_STUDIES"] = str(command.folder / "small.toml")
    return command


def rows(command: Command, query: str) -> list[Any]:
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as connection:
        return connection.execute(query).fetchall()


def ended(command: Command) -> list[Any]:
    return [row for row in rows(command, RUNS) if row[3] in ("finished", "failed")]


def under_way(command: Command, before: int) -> Callable[[], bool]:
    """Whether so many runs have ended and the next one is loaded."""

    def is_so() -> bool:
        states = [row[3] for row in rows(command, RUNS)]
        return len(states) > before and states[-1] == "running"

    return is_so


@pytest.mark.audit
def test_it_ends_when_its_claims_are_decided_or_its_budget_is_over(study):
    decided = '[[claim]]\nname = "answers"\nsays = "It answers more than 1/s."\n'
    check = '[[claim.check]]\nfigure = "goodput"\ncell = { setup = "sync" }\nvalue = [1, inf]\n'
    head = STUDY[: STUDY.index("[[claim]]")]
    (study.folder / "small.toml").write_text(head + decided + check)
    made = study.run("runstudy", "small", "--claims", "--label=few", limit_s=LONGEST_S)
    assert made.status == 0, made.err
    first = [row[:3] for row in ended(study)]
    assert first == [("sync", "plain", number) for number in range(1, len(first) + 1)]
    is_open = "can't be told here   It answers" in made.out  # where the machine isn't quiet
    assert ("Open     answers" in made.out) == is_open
    counting = rows(study, "SELECT id FROM benchsuite_run WHERE verdict IN ('valid', 'weak')")
    assert len(first) == 2 + LOOKS - 1 if is_open else len(counting) == 2

    cut = study.run("runstudy", "small", "--budget=1s", limit_s=LONGEST_S)
    assert cut.status == 0, cut.err
    assert len(ended(study)) == len(first)
    assert "Open     answers: not enough runs count of setup sync, page plain." in cut.out
    assert "runstudy small --resume --budget=10m" in cut.out
    on = study.run("runstudy", "small", "--resume", "--budget=5m", limit_s=LONGEST_S)
    assert on.status == 0, on.err
    states = [row[:2] for row in ended(study)[len(first) :]]
    assert states[:2] == [("sync", "plain")] * 2  # what the claim needs comes first
    assert set(states) == CELLS


def test_what_was_killed_goes_on_and_measures_nothing_twice(study):
    with study.start("runstudy", "small") as process:
        wait_for("a run that ended, and one under way", under_way(study, 2), LONGEST_S)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    before = ended(study)
    assert 2 <= len(before) < 6
    wait_for("its end", lambda: study.left_in_temporary_folder() == [], 60)

    path = study.folder / "small.toml"
    path.write_text(STUDY.replace('"5s"', '"6s"'))
    refused = study.run("runstudy", "small", "--resume")
    assert (refused.status, "of another" in refused.err) == (2, True)
    path.write_text(STUDY)

    resumed = study.run("runstudy", "small", "--resume", limit_s=LONGEST_S)
    assert resumed.status == 0, resumed.err
    for words in (
        f"{len(before)} made before",
        "Skipped  setup impossible, page plain: --python=3.99",
        f"({len(before) + 1} of 6) starting",
        "/results/studies/small/",
        "Failed   setup waitress, page missing: ",
        "answered 404",
    ):
        assert words in resumed.out
    assert re.search(r"of 6\) starting · about \d.* left\n", resumed.out)
    assert re.search(
        r"can't be told here +It answers\. .*setup impossible · page plain: --python", resumed.out
    )
    after = ended(study)
    assert after[: len(before)] == before
    wanted = sorted((*cell, repetition) for cell in CELLS for repetition in (1, 2))
    assert sorted(row[:3] for row in after) == wanted
    for setup, page, _, status, _ in after:
        assert (status == "failed") == (page == "missing"), setup
    assert "Traceback" not in resumed.out + resumed.err
    assert rows(study, "SELECT status, owner FROM benchsuite_studyrun") == [("finished", "")]
    assert "no execution" in study.run("runstudy", "small", "--resume").err


@pytest.mark.parametrize("times", audited([1, 2], 2))
def test_ctrl_c_keeps_what_was_measured(study, times):
    words = ("runstudy", "small", "--only=setup=sync", "--only=page=plain")
    with study.start(*words) as process:
        wait_for("a run that ended, and one under way", under_way(study, 1), LONGEST_S)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
        stopped = study.wait(process)
    assert stopped.status == 130, stopped.err
    assert "Go on with: python manage.py runstudy small --resume" in stopped.err
    assert "Traceback" not in stopped.err
    assert rows(study, "SELECT status, owner FROM benchsuite_studyrun") == [("interrupted", "")]
    resumed = study.run("runstudy", "small", "--resume", limit_s=LONGEST_S)
    assert resumed.status == 0, resumed.err
    assert [row[:3] for row in ended(study)] == [("sync", "plain", 1), ("sync", "plain", 2)]


@pytest.mark.audit
def test_the_documented_study_of_ones_own_project_runs(command, tmp_path):
    text = example()
    for shown, there in (("/shop/cart/", "/bench/plain_async/"), ("/shop/", "/bench/plain/")):
        assert text.count(f'"{shown}"') == 1
        text = text.replace(f'"{shown}"', f'"{there}"')
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "shop_servers.toml").write_text(text)
    command.env["BENCHSUITE_STUDIES"] = str(tmp_path / "studies")
    words = ("shop_servers", "--scale=0.05", "--only=size=1", "--repeat=1")
    done = command.run("runstudy", *words, limit_s=LONGEST_S)
    assert done.status == 0, done.err
    assert "5 configurations × 1 run, scale 0.05" in done.out
    found = rows(command, RUNS.replace("$.setup", "$.server"))
    assert sorted(row[:2] for row in found) == [
        *(("sync", "cart"), ("sync", "list"), ("threads", "cart"), ("threads", "list")),
        ("waitress", "cart"),
    ]
    assert {row[3] for row in found} == {"finished"}


TUNING = (
    *("--server=gunicorn-gthread", "--processes=1", "--threads=2"),
    *("--workload=io_read", "--rows=1000", "--objective=p95 < 200ms, failures < 1%"),
    "--window=1s",
)
TRIALS = """
SELECT "order", json_extract(trial, "$.phase"), run_id FROM benchsuite_tuningtrial ORDER BY "order"
"""


def interrupted(command: Command, budget: str) -> list[Any]:
    """The trials of a tuning that Ctrl-C has ended."""
    with command.start("tunebench", *TUNING, f"--budget={budget}") as process:
        wait_for("a trial that ended", lambda: len(rows(command, TRIALS)) >= 2, LONGEST_S)
        process.send_signal(signal.SIGINT)
        stopped = command.wait(process)
    assert stopped.status == 130, stopped.err
    assert "gunicorn-gthread 1×2" in stopped.out
    assert "Go on with: python manage.py tunebench --resume=" in stopped.err
    assert "Traceback" not in stopped.out + stopped.err
    assert rows(command, "SELECT status, owner FROM benchsuite_tuning") == [("interrupted", "")]
    assert command.left_in_temporary_folder() == []
    return rows(command, TRIALS)


def test_ctrl_c_keeps_the_trials_of_a_tuning(command):
    assert interrupted(command, "10m"), "a busy machine is not done before it is interrupted"


@pytest.mark.alone
def test_a_tuning_is_interrupted_and_goes_on_to_its_answer(command):
    before, file = interrupted(command, "45s"), command.folder / "tuning.json"
    went_on = command.run("tunebench", "--resume", f"--json={file}", limit_s=LONGEST_S)
    told = json.loads(file.read_text())
    assert went_on.status == (0 if told["answer"]["end"] == "confirmed" else 3), went_on.err
    after = rows(command, TRIALS)
    assert after[: len(before)] == before, "nothing is measured twice"
    assert len(told["trials"]) == len(after)
    spoiled = [one for one in told["trials"] if one["observation"]["codes"]]
    open_ones = [one for one in told["trials"] if one["load"]["rates"]]
    measured = [one for one in open_ones if one["observation"]["levels"]]
    assert spoiled or [one["phase"] for one in measured].count("confirm") >= 3
    diagnosed, profiled = (
        [one["run"] for one in told["trials"] if one["phase"] == phase]
        for phase in ("diagnose", "flame")
    )
    seen = rows(command, "SELECT id FROM benchsuite_run WHERE diagnosis IS NOT NULL")
    saw = {str(UUID(one)) for (one,) in seen}
    assert {*diagnosed} <= saw <= {*diagnosed, *profiled}, (
        "where no profiler may look, it can't see"
    )
    assert len(profiled) <= len(diagnosed) <= 1
    if told["answer"]["end"] == "confirmed" and not diagnosed:
        assert "a diagnostic run" in dict(told["answer"]["not_tried"])
    for one in measured:
        levels = one["observation"]["levels"]
        assert [level["rate"] for level in levels] == one["load"]["rates"][: len(levels)]
        assert all(level["met"][0] <= level["planned"] for level in levels)
        assert one["observation"]["memory_bytes"] > 10_000_000
        # readings come once a second, so a window of one may hold none
        cpu_s = one["observation"]["cpu_s"]
        assert cpu_s > 0 if cpu_s is not None else one["load"]["window_s"] <= 1
    states = dict(rows(command, "SELECT status, count(*) FROM benchsuite_run GROUP BY status"))
    assert set(states) <= {"finished", "interrupted"}
    assert rows(command, "SELECT status, owner FROM benchsuite_tuning") == [("finished", "")]
    assert "no tuning to go on with" in command.run("tunebench", "--resume").err


class Listening(Quiet):
    title, place, total, left_s = "waitress", 1, 1, 0.0

    def begin(self, spec: RunSpec) -> None:
        self.stages.append(spec.server.server)

    def end(self, summary: str) -> None:
        self.stages.append(summary)


@pytest.mark.alone
@pytest.mark.django_db
def test_a_run_that_ends_early_has_figures_of_what_it_reached_and_says_where(monkeypatch):
    """One thread that sleeps 0.1 s answers ten a second."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")
    rates = {"model": "open", "arrival_rate": 80.0, "stages": (5.0, 40.0, 80.0), "in_turn": True}
    ends = {"timeout_s": 2.0, "ends_below": 0.5, "ends_within_s": 0.5, "max_in_flight": 50}
    spec = RunSpec(
        server=ServerSpec(server="waitress", threads=1),
        workload=WorkloadSpec(workload="sleep", options={"seconds": 0.1}),
        load=LoadProfile(warmup_s=0.2, duration_s=3.0, **rates, **ends),  # type: ignore[arg-type]
    )
    results, watcher = Results(lambda line: None), Listening()
    with session(results, watcher, Screen()) as at_work:
        row, _ = at_work.make(resolve(spec))
    assert (row.status, row.failure) == ("finished", "")
    assert re.fullmatch(
        r"at 40 /s, because of \d+ requests due only \d+ were answered right within 0\.5 s",
        row.settings_changed["(end of the load)"],
    )
    stages = list(row.measurements.filter(scope="stage").order_by("order"))
    assert [one.name for one in stages] == ["5 /s", "40 /s"]
