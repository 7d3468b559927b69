"""What became of a form is decided by structure and evidence, whatever the page says."""

from typing import Any

import pytest

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.completion import Sign
from benchsuite.robot.confirmation import Site
from benchsuite.robot.walk import Walk, complete
from tests.foreign.fates import REFUSED, TAKEN, UNCONFIRMED, Host, Visitor
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

PEOPLE = 3


def walks(host, people=PEOPLE, done=None):
    site = Site(lambda: Walk(Visitor(host), "/"))
    found = []
    for seed in range(people):
        client = Visitor(host)
        ended = complete(client, "/", seed=seed, done=done)
        found.append(site.judged(ended))
    return found


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_what_was_taken_is_confirmed_in_any_words(make):
    host = make()
    assert [done.evidence != "" for done in walks(host)] == [True] * PEOPLE
    assert host.taken == PEOPLE


@pytest.mark.parametrize("make", UNCONFIRMED.values(), ids=UNCONFIRMED)
def test_what_proves_nothing_is_no_completion(make):
    host = make()
    for done in walks(host):
        assert (done.evidence, done.doubt != "") == ("", True)
    assert host.taken <= PEOPLE + 1  # and no more is sent than was asked for, but an empty form


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_was_refused_is_no_completion(make):
    with pytest.raises(RobotError):
        walks(make())


def test_a_form_without_an_action_is_sent_to_the_path_it_came_from() -> None:
    host = Host("<h1>Tack</h1>")
    client: Any = Visitor(host)
    assert complete(client, "http://shop.example//fair/", done=Sign(text="Tack")).evidence
    assert host.taken == 1


def test_what_a_site_looks_like_is_learned_once():
    host = Host("<h1>Tack</h1>")
    walks(host, 20)
    assert host.requests == 20 * 2 + 2


def test_the_authors_word_comes_first(golden):
    def evidence(make, sign):
        host = make()
        found = walks(host, done=sign)
        assert host.requests <= 3 * PEOPLE  # and nobody else is sent
        return [done.evidence or done.doubt for done in found]

    golden.cases(evidence)


def test_values(golden):
    golden.values()
