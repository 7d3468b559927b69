"""What a restart is to blame for, and what not."""

import numpy as np

from benchsuite.core.samples import CONNECTION, HANDSHAKE, JOURNEY, MESSAGE, RESTARTED, Kind
from benchsuite.load.parent.spool import NameEntry
from benchsuite.runner.restarting import without_restart
from benchsuite.stats.summary import DTYPE

AWAY = (10.0, 12.0)
NAMES = [
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
    after, names = without_restart(samples, NAMES, AWAY)
    scopes = [names[one].scope for one in after["name"]]
    expected = [
        RESTARTED[NAMES[name].scope] if blamed else NAMES[name].scope for name, *_, blamed in ROWS
    ]
    assert scopes == expected
    assert [names[one].name for one in after["name"]] == [NAMES[row[0]].name for row in ROWS]
    assert (samples["name"] == [row[0] for row in ROWS]).all(), "the samples stay as they were"


def test_without_a_restart_nothing_is() -> None:
    samples = np.zeros(1, DTYPE)
    assert without_restart(samples, NAMES, None) == (samples, NAMES)
