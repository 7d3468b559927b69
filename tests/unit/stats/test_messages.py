"""Messages and connections are counted exactly."""

from typing import Any

import numpy as np

from benchsuite.core.samples import CONNECTION, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.stats.messages import accounts
from benchsuite.stats.summary import DTYPE

WINDOW = (10.0, 20.0)


def samples(*rows: tuple[Kind, float, int]) -> Any:
    """(kind, moment, body bytes)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (kind, moment, length) in enumerate(rows):
        made[place]["kind"] = kind
        made[place]["intended_start"] = made[place]["start"] = made[place]["finish"] = moment
        made[place]["body_bytes"] = length
    return made


def counted(**by_scope: Any) -> Any:
    scopes = {
        MESSAGE: "messages",
        STRAY: "strays",
        UNSOLICITED: "unsolicited",
        HANDSHAKE: "handshakes",
        CONNECTION: "connections",
    }
    given = {scope: by_scope.get(name, samples()) for scope, name in scopes.items()}
    return accounts(given, WINDOW, ())


def spans(*rows: tuple[Kind, float, float]) -> Any:
    """(kind, begin, end)."""
    made = samples(*((kind, begin, 1006) for kind, begin, _ in rows))
    made["finish"] = [end for _, _, end in rows]
    return made


LIVES = [(8, 9), (8, 11), (8, 30), (12, 13), (19, 25), (20.5, 21)]


def test_values(golden):
    golden.values()
