"""Messages and connections are counted exactly."""

import numpy as np

from benchsuite.core.samples import CONNECTION, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED
from benchsuite.stats.messages import accounts, overtaken
from benchsuite.stats.summary import DTYPE

WINDOW = (10.0, 20.0)


def samples(*rows):
    """(kind, moment, body bytes)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (kind, moment, length) in enumerate(rows):
        made[place]["kind"] = kind
        made[place]["intended_start"] = made[place]["start"] = made[place]["finish"] = moment
        made[place]["body_bytes"] = length
    return made


def counted(**by_scope):
    scopes = {
        MESSAGE: "messages",
        STRAY: "strays",
        UNSOLICITED: "unsolicited",
        HANDSHAKE: "handshakes",
        CONNECTION: "connections",
    }
    given = {scope: by_scope.get(name, samples()) for scope, name in scopes.items()}
    return accounts(given, WINDOW, ())


def spans(*rows):
    """(kind, begin, end)."""
    made = samples(*((kind, begin, 1006) for kind, begin, _ in rows))
    made["finish"] = [end for _, _, end in rows]
    return made


LIVES = [(8, 9), (8, 11), (8, 30), (12, 13), (19, 25), (20.5, 21)]


def test_values(golden):
    golden.values()


def of_users(*rows):
    """(user, intended, start, finish)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (user, intended, start, finish) in enumerate(rows):
        made[place]["user"] = user
        made[place]["intended_start"] = intended
        made[place]["start"] = start
        made[place]["finish"] = finish
    return made


OPENED = of_users((0, 0, 0, 1.0), (1, 0, 0, 1.1), (2, 0, 0, 1.2))
NONE = of_users()


def test_fanout(golden):
    golden.values()


EVERY_S, USUAL_S = 0.025, 0.004


def published(*publishers):
    """One each 25 ms, sent at once."""
    moments = [number * EVERY_S for number in range(len(publishers))]
    return of_users(*((who, at, at, at) for who, at in zip(publishers, moments, strict=True)))


def delivered(sent, **late_s):
    """To subscribers 0 and 1, in 4 ms; by subscriber, what came so much later."""
    return of_users(
        *(
            (user, at, at, at + USUAL_S + late_s.get(f"user{user}", {}).get(number, 0.0))
            for number, at in enumerate(sent["start"])
            for user in (0, 1)
        )
    )


def found(sent, got):
    """(subscriber, number)."""
    marked = got[overtaken(sent, got)]
    return [(int(one["user"]), round(float(one["start"]) / EVERY_S)) for one in marked]


def test_ordering(golden):
    golden.values()


CUT_S = 10.0
RAMP = [(user, 1.0, 1.0, 1.1) for user in range(4)]


def test_storm(golden):
    golden.values()


def test_silence(golden):
    golden.values()
