"""What several levels of load say together, and how a run with stages is told."""

from dataclasses import replace

import pytest

from benchsuite import store
from benchsuite.comparing.cells import cells
from benchsuite.comparing.contrasts import Side, metric, unranked
from benchsuite.comparing.titles import level_title, levels_title
from benchsuite.core.results import Arrivals, Distribution, RunResult, Status, Summary, Verdict
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.models import Run
from benchsuite.report.levels import climb_words, overload_words
from benchsuite.report.run_answer import of_run
from benchsuite.stats.levels import Level
from tests.factories import BEGUN, begin


def users(value: float, goodput: float, failures: int = 0) -> Level:
    return Level(
        name=f"{value:g} users",
        value=value,
        requests=1000,
        failures=failures,
        throughput=goodput,
        goodput=goodput,
        requested_rate=goodput,
    )


def rate(value: float, answered: float, *, dropped: int = 0, failures: int = 0) -> Level:
    return Level(
        name=f"{value:g} /s",
        value=value,
        requests=1000,
        failures=failures,
        throughput=answered,
        goodput=answered,
        requested_rate=value,
        offered_rate=value,
        achieved_rate=value,
        dropped=dropped,
    )


RATES = LoadProfile(model="open", arrival_rate=3000.0, stages=(50.0, 3000.0), duration_s=10.0)
USERS = LoadProfile(users=50, stages=(1.0, 10.0, 50.0), duration_s=10.0)


def summary(load: LoadProfile, level: float, goodput: float, *, dropped: int = 0) -> Summary:
    times = Distribution(count=100, percentiles={50: 0.002, 95: 0.004})
    sent = level - dropped / load.duration_s
    planned = Arrivals(offered_rate=level, achieved_rate=sent, late=0, dropped=dropped)
    return Summary(
        name=load.level_words(level),
        scope="stage",
        requests=round((sent if load.is_open else goodput) * load.duration_s),
        failures=0,
        throughput=goodput,
        goodput=goodput,
        response_time=times,
        service_time=times,
        arrivals=planned if load.is_open else None,
        level=level,
    )


def stored(load: LoadProfile, *stages: Summary, headline: int = 0) -> Run:
    spec = RunSpec(server=ServerSpec(server="gunicorn-sync"), load=load)
    row = begin(spec, batch=store.UUID(int=1), started_at=BEGUN)
    total = replace(stages[headline], scope="all")
    result = RunResult(
        spec=spec,
        status=Status.FINISHED,
        started_at=BEGUN,
        total=total,
        verdict=Verdict.VALID,
        summaries=tuple(replace(one, order=place) for place, one in enumerate(stages, start=1))
        if load.stages
        else (),
        environment={"hostname": "here"},
    )
    store.finish(row, result)
    return Run.objects.get(pk=row.pk)


def words(run: Run) -> str:
    measurements = list(run.measurements.all())
    return climb_words(run, measurements) or overload_words(run, measurements)


@pytest.mark.django_db
def test_a_climb_names_the_level_that_its_figures_are_of():
    run = stored(
        USERS, *(summary(USERS, *at) for at in ((1, 90), (10, 800), (50, 810))), headline=1
    )
    assert words(run) == "gunicorn-sync levels off at 10 users with 800 requests/s of plain"
    assert (level_title(run), run.goodput, run.level) == ("10 users", 800, 10)
    assert of_run(run, (), list(run.measurements.all())).headline == f"{words(run)}."
    broken = stored(
        USERS, *(summary(USERS, *at) for at in ((1, 90), (10, 800), (50, 80))), headline=1
    )
    assert words(broken).endswith("with 800 requests/s of plain, and breaks at 50 users")
    rising = stored(
        USERS, *(summary(USERS, *at) for at in ((1, 90), (10, 400), (50, 800))), headline=2
    )
    assert words(rising) == (
        "gunicorn-sync answered 800 requests/s of plain at 50 users, the highest level, still "
        "rising"
    )


@pytest.mark.django_db
def test_rates_are_held_or_not():
    fine, much = summary(RATES, 50, 50), summary(RATES, 3000, 33, dropped=9000)
    run = stored(RATES, fine, much)
    assert words(run) == "gunicorn-sync held 50 /s of plain, and not 3\u2009000 /s"
    assert words(stored(replace(RATES, arrival_rate=50.0, stages=(50.0,)), fine)) == (
        "gunicorn-sync held 50 /s of plain, the highest level"
    )
    only = replace(RATES, stages=(3000.0,))
    assert words(stored(only, much)) == (
        "gunicorn-sync held no level, and kept up with 33.0 of 3\u2009000 arrivals/s of plain; "
        "9\u2009000 were never sent"
    )


@pytest.mark.django_db
def test_an_overloaded_rate_is_told_before_anything_else():
    one = replace(RATES, stages=())
    run = stored(one, replace(summary(one, 3000, 33, dropped=9000), level=None))
    assert words(run) == (
        "gunicorn-sync kept up with 33.0 of 3\u2009000 arrivals/s of plain; "
        "9\u2009000 were never sent"
    )
    held = replace(one, arrival_rate=50.0)
    assert words(stored(held, replace(summary(held, 50, 50), level=None))) == ""


@pytest.mark.django_db
def test_times_of_different_levels_are_not_ranked():
    figures = (summary(USERS, 1, 90), summary(USERS, 10, 800), summary(USERS, 50, 810))
    low, high = stored(USERS, *figures), stored(USERS, *figures, headline=1)
    high.server, high.key = "uvicorn", "another"
    high.save()
    found = cells(Run.objects.filter(pk__in=(low.pk, high.pk)))
    assert [levels_title(cell) for cell in found] == ["10 users", "1 user"]
    sides = [Side(cell.first.server, cell) for cell in found]
    assert unranked(sides, metric("p95")) == (
        "P95 is not ranked: the figures are of 1 user and 10 users."
    )


def test_values(golden):
    golden.values()
