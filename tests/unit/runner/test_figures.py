"""What the samples of each level of load say."""

from typing import Any

import numpy as np

from benchsuite.core.samples import CONNECTION, HANDSHAKE, JOURNEY, MESSAGE, RESTARTED, Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.load.job import Done
from benchsuite.load.parent.driver import NameEntry
from benchsuite.runner.figures import Figures, without_restart
from benchsuite.stats import summary
from benchsuite.stats.summary import DTYPE

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
    return Figures(samples, NAMES, Done(**{**defaults, **done}), load, alike=True)


def steady(user, begin, end, takes):
    """A user's requests, one after another."""
    count = round((end - begin) / takes)
    starts = [begin + number * takes for number in range(count)]
    return [(user, start, start, start + takes) for start in starts]


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


def test_only_what_failed_while_the_server_was_away_is_set_aside():
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


def test_values(golden):
    golden.values()
