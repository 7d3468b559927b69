"""Journeys that mix pages, and pages that ask something upstream."""

import json
from types import SimpleNamespace

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import planning, preflight
from benchsuite.workloads.mixed import Mixed
from benchsuite.workloads.pages import Plain
from benchsuite.workloads.streams import WsEcho

SHARES = "80 plain + 20 ws_echo size=64"


def a_client(user, *, rehearsal=False):
    return SimpleNamespace(user=user, rehearsal=rehearsal, journey_name="")


@pytest.fixture
def made(monkeypatch):
    """Journeys: of which workload, and by whom."""
    journeys: list[tuple[str, int]] = []
    for work in (Plain, WsEcho):
        monkeypatch.setattr(
            work, "journey", lambda self, client: journeys.append((self.name, client.user))
        )
    return journeys


@pytest.mark.parametrize("users", range(3, 40))
def test_any_number_of_users_is_near_the_shares(users):
    parts = Mixed(shares="5 plain + 3 cpu + 2 ws_echo").populations(LoadProfile(users=users))
    for share, one in zip((0.5, 0.3, 0.2), parts, strict=True):
        assert abs(len(one.users) - share * users) < 1


def test_each_user_does_one_thing_and_its_journeys_are_named_for_it(made):
    work = Mixed(shares=SHARES)
    by_user = {
        user: one.name for one in work.populations(LoadProfile(users=10)) for user in one.users
    }
    for user in range(10):
        client = a_client(user)
        work.journey(client)
        assert client.journey_name == by_user[user]
    assert made == [(by_user[user], user) for user in range(10)]


def test_what_is_checked_before_the_load_is_all_of_it(made):
    Mixed(shares=SHARES).journey(a_client(0, rehearsal=True))
    assert made == [("plain", 0), ("ws_echo", 0)]


def test_nonsense_is_refused(golden):
    golden.cases(lambda shares: Mixed(shares=shares), refuses=UsageError)


def test_a_load_that_makes_no_sense_is_refused(golden):
    golden.cases(lambda load: Mixed(shares=SHARES).fit(load), refuses=UsageError)


class Client_upstream:
    """Gives one answer, and notes what was asked."""

    status_code, headers, asked = 200, {}, ""

    def __init__(self, answer):
        self.content, self.json = json.dumps(answer).encode(), lambda: answer

    def get(self, path, **_):
        self.asked = path
        return self


def test_what_the_view_needs_is_named(monkeypatch):
    server, workload = ServerSpec(server="gunicorn-gthread"), WorkloadSpec(workload="upstream")
    plan = planning.resolve(RunSpec(server=server, workload=workload))
    installed = Interpreter.installed

    def without_httpx(self, name):
        return None if name == "httpx" else installed(self, name)

    monkeypatch.setattr(Interpreter, "installed", without_httpx)
    words = r"upstream needs httpx.*django-benchsuite\[upstream\]"
    with pytest.raises(UnavailableError, match=words):
        preflight.check_installed(plan)


def test_values(golden):
    golden.values()


def test_an_option_of_a_part_that_is_given_twice_is_refused():
    with pytest.raises(UsageError, match="sets an option twice: '1 get size=10 size=20'"):
        Mixed(shares="1 get size=10 size=20 + 1 plain")
