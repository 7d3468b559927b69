"""Who does what in a mixture, and which mixtures there can't be."""

from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile
from benchsuite.workloads.mixed import Mixed
from benchsuite.workloads.pages import Plain
from benchsuite.workloads.websockets import WsEcho

SHARES = "80 plain + 20 ws_echo size=64"


class Client:
    """A user who only notes what it was asked for."""

    def __init__(self, user: int, *, rehearsal: bool = False) -> None:
        self.user = user
        self.rehearsal = rehearsal
        self.journey_name = ""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Journeys: of which workload, and by whom."""
    journeys: list[tuple[str, int]] = []
    for work in (Plain, WsEcho):
        monkeypatch.setattr(
            work, "journey", lambda self, client: journeys.append((self.name, client.user))
        )
    return journeys


def test_users_are_dealt_out_as_the_shares_have_it() -> None:
    pages, echoes = Mixed(shares=SHARES).populations(LoadProfile(users=100))
    assert (pages.name, pages.unit, len(pages.users)) == ("plain", "request", 80)
    assert (echoes.name, echoes.unit, len(echoes.users)) == ("ws_echo", "message", 20)
    assert sorted(pages.users + echoes.users) == list(range(100))


@pytest.mark.parametrize("users", range(3, 40))
def test_any_number_of_users_is_near_the_shares(users: int) -> None:
    parts = Mixed(shares="5 plain + 3 cpu + 2 ws_echo").populations(LoadProfile(users=users))
    for share, one in zip((0.5, 0.3, 0.2), parts, strict=True):
        assert abs(len(one.users) - share * users) < 1


def test_each_user_does_one_thing_and_its_journeys_are_named_for_it(made: list[Any]) -> None:
    work = Mixed(shares=SHARES)
    by_user = {
        user: one.name for one in work.populations(LoadProfile(users=10)) for user in one.users
    }
    for user in range(10):
        client = Client(user)
        work.journey(client)
        assert client.journey_name == by_user[user]
    assert made == [(by_user[user], user) for user in range(10)]


def test_what_is_checked_before_the_load_is_all_of_it(made: list[Any]) -> None:
    Mixed(shares=SHARES).journey(Client(0, rehearsal=True))
    assert made == [("plain", 0), ("ws_echo", 0)]


def test_what_the_parts_need_the_mixture_needs() -> None:
    own = Mixed(shares="1 url path=/shop/,/cart/ + 1 ws_echo path=/ws/")
    assert not own.needs_target_app
    assert (own.ready_path, own.rehearsals > 1) == ("/shop/", True)
    assert "/cart/" in own.unchecked
    half = Mixed(shares="1 url path=/shop/ + 1 ws_echo layer=true")
    assert half.needs_target_app
    assert half.needs_layer
    assert half.ready_path == "/bench/plain/"
    assert half.needs_websocket
    assert not Mixed(shares="1 plain + 1 cpu").needs_websocket


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ("", ", and is "),
        ("80 plain", "two or more different workloads"),
        ("1 plain + 1 plain", "two or more different"),
        ("0 plain + 1 ws_echo", "is '0 plain'"),
        ("80% plain + 1 ws_echo", "is '80% plain'"),
        ("plain:80,ws_echo:20", ", and is "),
        ("1 plain + 1 ws_ecko", "did you mean ws_echo"),
        ("1 plain + 1 survey", "survey can't be a part"),
        ("1 plain + 1 io_read", "io_read can't be a part"),
        ("1 plain + 1 ws_broadcast", "ws_broadcast can't be a part"),
        ("1 plain + 1 mixed", "mixed can't be a part"),
        ("1 plain + 1 ws_echo weight=3", "no option 'weight'"),
        ("1 plain + 1 'ws_echo", ", and is "),
    ],
)
def test_nonsense_is_refused(shares: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Mixed(shares=shares)


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (LoadProfile(model="open", arrival_rate=5.0), "remove --rate"),
        (LoadProfile(users=4, stages=(2, 4)), "--stages"),
        (LoadProfile(users=2), "none is left for ws_echo"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused(load: LoadProfile, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Mixed(shares=SHARES).fit(load)
