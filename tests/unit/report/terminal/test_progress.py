"""The one line of a run that is under way."""

import io

import pytest

from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.load.job import Tick
from benchsuite.management.output import Screen
from benchsuite.report.terminal import progress
from benchsuite.report.terminal.progress import Progress, TrialProgress
from tests.tuning_factories import searched

SPEC = RunSpec(
    server=ServerSpec(server="circus-chaussette-meinheld"),
    load=LoadProfile(users=50, warmup_s=1.0, duration_s=10.0),
)


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def begun(count=3):
    console = Screen(file=io.StringIO(), force_terminal=True, width=80)
    titles = ["circus-chaussette-meinheld"] * count
    made = Progress(console, titles, lambda done: [10.0] * (count - done))
    made.begin(SPEC)
    return made


def tick(elapsed_s=6.0, awaited=None):
    counted = {"users": 50, "requests": 1000, "failures": 3}
    return Tick(elapsed_s=elapsed_s, rate=204.0, p95_s=0.004, awaited=awaited, **counted)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("seen", [None, tick(), tick(11.5, awaited=7)])
def test_it_is_one_line_at_every_width(clock, width, seen):
    made = begun()
    made._stage, made._tick = "starting", seen
    line = made._line(width)
    assert line.cell_len < width
    assert "\n" not in line.plain
    if width >= 40:
        assert "left" in line.plain
        assert "…" not in line.plain


def test_the_place_is_said_once_and_outlasts_the_name(clock: list[float]) -> None:
    made = begun()
    made._tick = tick()
    assert made._line(200).plain.startswith("▶ circus-chaussette-meinheld · 1/3 · window 5/10 s")
    assert made._line(80).plain.startswith("1/3 · window 5/10 s · ")
    made.total = None
    assert made._line(200).plain.startswith("▶ circus-chaussette-meinheld · run 1 · window")


def test_the_drain_says_what_is_awaited_and_not_its_limit(clock):
    made = begun()
    made._tick = tick(11.5, awaited=1)
    assert "drain, 1 answer awaited" in made._line(120).plain
    made._tick = tick(11.5, awaited=7)
    assert "drain, 7 answers awaited" in made._line(120).plain
    assert "/30 s" not in made._line(120).plain


def test_plain_lines_tell_the_time_left_once_a_run_from_the_third_on(clock):
    console = Screen(file=(said := io.StringIO()), force_terminal=False, width=80)
    made = Progress(console, ["waitress"] * 5, lambda done: [100.0] * (4 - done), made_before=1)
    for _ in range(3):
        made.begin(SPEC)
        made.stage("starting")
        clock[0] += 10
        made.stage("ready")
        made.end("236 /s")
    lines = said.getvalue().splitlines()
    assert lines[3:6] == [
        "▶ waitress (3 of 6) starting · about 5 min left",
        "▶ waitress (3 of 6) ready",
        "▶ waitress (3 of 6) 236 /s",
    ]
    assert [line.partition(" · ")[2] for line in lines if "left" in line] == [
        "about 5 min left",
        "about 3 min 20 s left",
    ]


def test_the_time_left_is_of_all_runs_as_is_known_when_one_begins(clock):
    made = begun()
    assert made.left_s == 30
    clock[0] += 4
    assert made.left_s == 26
    clock[0] += 16  # it took 20 s in place of 10
    assert made.left_s == 20
    made._estimates_s = lambda done: [20.0] * (3 - done)
    made.begin(SPEC)
    assert made.left_s == 40
    clock[0] += 100
    assert made.left_s == 20, "what takes longer than planned is not negative"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_tuning_says_who_leads_and_what_the_next_minutes_add(*, terminal):
    notebook, shown = searched(12), io.StringIO()
    console = Screen(file=shown, force_terminal=terminal, width=200)
    made = TrialProgress(console, notebook, lambda: 300.0)
    made.next(notebook.entries[-1].trial)
    pick = notebook.pick()
    assert f"So far {pick.words} gets most through: " in shown.getvalue()
    assert "The next minutes add " in " ".join(shown.getvalue().split())
    made.begin(SPEC)
    made.stage("starting")
    assert f"{pick.name} leads, " in made._line(200).plain
