"""Who serves what: a server that brings its own target says nothing of the project."""

import pytest

from benchsuite.comparing.cells import cells
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.management.output import Screen
from benchsuite.report.sentences import ranking_sentence
from benchsuite.report.targets import own_target_sentence
from benchsuite.runner import planning
from benchsuite.runner.planning import Estimate
from tests.factories import facts
from tests.unit.report.test_sentences import run


def said_of(*servers: str) -> str:
    return own_target_sentence((name, facts(name, "plain")) for name in servers)


def test_servers_of_the_project_need_no_word() -> None:
    assert said_of("uwsgi", "daphne") == ""


def test_one_that_brings_its_own_target_is_named() -> None:
    assert said_of("uwsgi", "heritage-2012-gevent", "heritage-2012-gevent") == (
        "heritage-2012-gevent serves a small target of its own, not this project."
    )


def test_several_are_named_together() -> None:
    assert said_of("peer-ws", "daphne", "heritage-2012-gevent") == (
        "heritage-2012-gevent and peer-ws serve small targets of their own, not this project."
    )


def test_one_of_which_nothing_is_known_is_left_out() -> None:
    assert own_target_sentence([("gone", {})]) == ""


def test_what_it_serves_has_no_async_twin() -> None:
    """Daphne of 2016 is an ASGI server, too; but its target is not the project's."""
    pair = [run("uwsgi"), run("heritage-channels0-redis", goodput=300.0)]
    assert "in a thread" not in ranking_sentence(cells(pair))


def test_the_plan_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(quiet_stdout=False)
    screen.plan([planning.resolve(RunSpec(server=ServerSpec(server="peer-ws")))], Estimate())
    assert capsys.readouterr().out.splitlines()[1:] == [
        "peer-ws serves a small target of its own, not this project."
    ]
