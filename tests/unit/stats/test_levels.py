"""What several levels of load say together, and how a run with stages is told."""

import math
import random
from dataclasses import replace

import pytest

from benchsuite.core.results import (
    Arrivals,
    Ceiling,
    Distribution,
    Summary,
    Verdict,
)
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.report.parts import climb_words, overload_words
from benchsuite.stats.levels import Level, Point
from tests.factories import stored as stored_run


def users(value, goodput, failures=0):
    return Level(
        name=f"{value:g} users",
        value=value,
        requests=1000,
        failures=failures,
        throughput=goodput,
        goodput=goodput,
        requested_rate=goodput,
    )


def rate(value, answered, *, dropped=0, failures=0):
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


def summary(load, level, goodput, *, dropped=0):
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


def stored(load, *stages, headline=0):
    spec = RunSpec(server=ServerSpec(server="gunicorn-sync"), load=load)
    total = replace(stages[headline], scope="all")
    parts = [replace(one, order=place) for place, one in enumerate(stages, start=1)]
    return stored_run(spec, total, *(parts if load.stages else []), verdict=Verdict.VALID)


def words(run):
    return climb_words(run) or overload_words(run)


@pytest.mark.django_db
def test_stored(golden):
    golden.values()


def test_values(golden):
    golden.values()


def line(rates, at=100.0, steepness=25.0, noise=0.0, seed=0):
    chance = random.Random(seed)
    return [
        Point(rate, steepness * math.log(at / rate) + chance.gauss(0, noise), 400) for rate in rates
    ]


SEEN = tuple(
    Ceiling(users=users, keep_alive=keep_alive, throughput=users * (10.0 if keep_alive else 1.0))
    for users in (1, 10, 100)
    for keep_alive in (True, False)
)
