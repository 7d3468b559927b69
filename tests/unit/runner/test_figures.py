"""What the samples of each level of load say."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchsuite.core.samples import CONNECTION, HANDSHAKE, JOURNEY, MESSAGE, RESTARTED, Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.load.job import Done
from benchsuite.load.parent.driver import NameEntry
from benchsuite.runner.figures import Figures, segments, without_restart
from benchsuite.stats import summary
from benchsuite.stats.summary import DTYPE
from benchsuite.workloads.base import Population

NAMES = (
    NameEntry(name="GET /", scope="request", examples={}),
    NameEntry(name="get", scope="journey", examples={}),
)
ORIGIN = 100.0


def figures(load: LoadProfile, *requests: tuple[int, float, float, float], **done: Any) -> Figures:
    """Of requests by user, intended start, start and finish since the origin; a journey each."""
    samples = np.zeros(2 * len(requests), dtype=summary.DTYPE)
    for index, (user, *times) in enumerate(requests):
        for scope in (0, 1):
            one = samples[2 * index + scope]
            one["name"], one["user"] = scope, user
            one["intended_start"], one["start"], one["finish"] = (ORIGIN + at for at in times)
    defaults = {
        "origin": ORIGIN,
        "window": (ORIGIN + load.window_start_s, ORIGIN + load.window_end_s),
        "stopped": False,
        "users": (),
        "cpu_percent": None,
        "lag_p99_s": None,
        "sent": (0,) * len(load.levels),
        "dropped": (0,) * len(load.levels),
    }
    return Figures(samples, NAMES, Done(**{**defaults, **done}), load)


def steady(
    user: int, begin: float, end: float, takes: float
) -> list[tuple[int, float, float, float]]:
    """A user's requests, one after another."""
    count = round((end - begin) / takes)
    starts = [begin + number * takes for number in range(count)]
    return [(user, start, start, start + takes) for start in starts]


def test_a_run_without_stages_is_one_stretch() -> None:
    load = LoadProfile(users=2, warmup_s=1.0, duration_s=2.0)
    made = figures(load, *steady(0, 0.0, 3.0, 0.5), *steady(1, 0.0, 3.0, 1.0))
    (whole,) = segments(made, alike=True, at_once=None)
    assert whole.window == (101.0, 103.0)
    assert whole.answers_by_user == (4, 2)
    assert whole.waiting_users == 2
    assert whole.under_way is None
    assert whole.slots is None


def test_users_think_for_as_long_as_they_were_seen_to() -> None:
    """One thinks from before the window into it, one over its end; a third is of a higher stage."""
    load = LoadProfile(users=2, warmup_s=1.0, duration_s=2.0, think_time_s=0.75)
    made = figures(load, *steady(0, 0.0, 3.0, 0.5))
    pauses = np.zeros(3, dtype=summary.DTYPE)
    pauses["name"], pauses["user"] = 2, (0, 1, 2)
    pauses["start"] = pauses["intended_start"] = ORIGIN + np.array([0.75, 2.75, 1.0])
    pauses["finish"] = ORIGIN + np.array([1.5, 3.5, 3.0])
    entry = NameEntry(name="pause", scope="pause", examples={})
    made = replace(made, samples=np.concatenate([made.samples, pauses]), names=(*NAMES, entry))
    (whole,) = segments(made, alike=True, at_once=None)
    assert whole.waiting_users == pytest.approx(2 - (0.5 + 0.25) / 2.0)
    assert whole.wakes_per_s == 0.5
    assert [one.name for one in made.by_name] == ["GET /", "get"], "no figures of their own"


def test_each_stage_is_a_stretch_with_its_own_users() -> None:
    load = LoadProfile(users=2, stages=(1, 2), warmup_s=1.0, duration_s=2.0)
    made = figures(load, *steady(0, 0.0, 6.0, 0.5), *steady(1, 3.0, 6.0, 1.0))
    first, second = segments(made, alike=True, at_once=None)
    assert (first.total.name, second.total.name) == ("1 user", "2 users")
    assert (first.waiting_users, second.waiting_users) == (1, 2)
    assert first.answers_by_user == (4,)
    assert second.answers_by_user == (4, 2)
    assert (first.window, second.window) == ((101.0, 103.0), (104.0, 106.0))


def test_a_stage_that_was_not_reached_is_none() -> None:
    load = LoadProfile(users=2, stages=(1, 2), warmup_s=1.0, duration_s=2.0)
    made = figures(
        load, *steady(0, 0.0, 2.5, 0.5), stopped=True, window=(ORIGIN + 1.0, ORIGIN + 2.5)
    )
    (only,) = segments(made, alike=True, at_once=None)
    assert only.waiting_users is None, "stopped: who waited is not known"


def test_users_of_a_locustfile_need_not_do_the_same() -> None:
    load = LoadProfile(users=1, warmup_s=0.0, duration_s=2.0)
    (whole,) = segments(figures(load, *steady(0, 0.0, 2.0, 0.5)), alike=False, at_once=None)
    assert whole.answers_by_user == ()


def test_what_waits_to_be_sent_is_under_way_in_the_open_model() -> None:
    load = LoadProfile(model="open", arrival_rate=1.0, warmup_s=0.0, duration_s=4.0)
    made = figures(load, (0, 0.0, 0.0, 1.0), (0, 1.0, 2.0, 3.0), sent=(2,), dropped=(0,))
    (whole,) = segments(made, alike=True, at_once=None)
    assert whole.under_way is not None
    assert whole.under_way.mean == pytest.approx(3.0 / 4.0)
    assert whole.under_way.arrived_per_s == pytest.approx(2 / 4.0)
    assert whole.total.concurrency == pytest.approx(2.0 / 4.0)
    assert whole.slots is not None
    assert whole.slots.used == 1
    assert whole.waiting_users is None


def test_connections_that_are_not_kept_starve_nobody() -> None:
    load = LoadProfile(
        model="open", arrival_rate=1.0, warmup_s=0.0, duration_s=4.0, keep_alive=False
    )
    (whole,) = segments(figures(load, (0, 0.0, 0.0, 1.0)), alike=True, at_once=None)
    assert whole.slots is None


def test_each_population_is_a_stretch_of_its_own_users() -> None:
    load = LoadProfile(users=3, warmup_s=1.0, duration_s=2.0)
    busy = [*steady(0, 0.0, 3.0, 0.5), *steady(2, 0.0, 3.0, 1.0)]
    made = figures(load, *busy, *steady(1, 0.0, 3.0, 0.25))
    kinds = (Population("url", "request", (0, 2)), Population("plain", "request", (1,)))
    two, one = segments(made, alike=False, at_once=None, populations=kinds)
    assert (two.total.name, two.total.scope) == ("2 users of url", "population")
    assert (two.waiting_users, two.total.concurrency) == (2, pytest.approx(2.0))
    assert (two.answers_by_user, one.answers_by_user) == ((4, 2), (8,))
    assert (two.total.requests, one.total.requests) == (6, 8)
    assert (one.total.name, one.waiting_users) == ("1 user of plain", 1)
    assert set(made.samples["user"]) == {0, 1, 2}, "the samples stay as they were"


AWAY = (10.0, 12.0)
NAMED = [
    NameEntry(name="ws", scope=JOURNEY, examples={}),
    NameEntry(name="handshake /ws/", scope=HANDSHAKE, examples={}),
    NameEntry(name="connection /ws/", scope=CONNECTION, examples={}),
    NameEntry(name="message /ws/", scope=MESSAGE, examples={}),
]
ROWS = [  # name, kind, start, finish, whether the restart is to blame
    (0, Kind.RESET, 2.0, 10.1, True),
    (0, Kind.OK, 2.0, 10.1, False),
    (0, Kind.RESET, 2.0, 12.1, False),
    (1, Kind.CONNECT_REFUSED, 11.0, 11.0, True),
    (1, Kind.RESET, 11.9, 12.5, True),
    (1, Kind.CONNECT_REFUSED, 13.0, 13.0, False),
    (1, Kind.OK, 11.9, 12.5, False),
    (2, Kind.RESET, 2.0, 10.1, True),
    (2, Kind.RESET, 11.9, 15.0, False),
    (3, Kind.RESET, 10.0, 10.1, False),
]


def test_only_what_failed_while_the_server_was_away_is_set_aside() -> None:
    samples = np.zeros(len(ROWS), DTYPE)
    for place, (name, kind, start, finish, _) in enumerate(ROWS):
        samples[place] = (name, kind, 0, 0, 0, start, start, finish)
    after, names = without_restart(samples, NAMED, AWAY)
    scopes = [names[one].scope for one in after["name"]]
    expected = [
        RESTARTED[NAMED[name].scope] if blamed else NAMED[name].scope for name, *_, blamed in ROWS
    ]
    assert scopes == expected
    assert [names[one].name for one in after["name"]] == [NAMED[row[0]].name for row in ROWS]
    assert (samples["name"] == [row[0] for row in ROWS]).all(), "the samples stay as they were"


def test_without_a_restart_nothing_is() -> None:
    samples = np.zeros(1, DTYPE)
    assert without_restart(samples, NAMED, None) == (samples, NAMED)


def test_of_several_pages_the_first_example_stays() -> None:
    made = figures(LoadProfile(users=1, warmup_s=0.0, duration_s=2.0), *steady(0, 0.0, 2.0, 0.5))
    made.samples["kind"] = Kind.RESET
    pages = [NameEntry(name=name, scope="request", examples={Kind.RESET: name}) for name in "ab"]
    made = replace(made, names=(pages[0], NAMES[1], pages[1]))
    assert made.total.failure_examples == {Kind.RESET.words: "a"}
