"""The command that completes surveys, and the robot in a real browser, against a live server."""

import os
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from benchsuite.workloads.survey import SLUGS
from tests.foreign import views
from tests.integration.test_robot_foreign import foreign_forms
from tests.needs import audited, needs

pytestmark = [pytest.mark.django_db(transaction=True), needs("selectolax", "faker")]

BROWSER = needs("chromium", "playwright")


@pytest.fixture
def surveys(transactional_db: None, monkeypatch: pytest.MonkeyPatch, live_server: Any) -> Any:
    """The survey application's address."""
    from benchsuite.target.survey.definitions import load_surveys

    load_surveys()
    monkeypatch.setenv("BENCHSUITE_RUN", "0123456789ab")
    # Playwright keeps an event loop in this thread; the ORM is used between its calls.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with override_settings(ROOT_URLCONF="testproject.urls_target"):
        yield f"{live_server.url}/bench/survey"


@pytest.fixture
def foreign(settings: Any, monkeypatch: pytest.MonkeyPatch, live_server: Any) -> Iterator[str]:
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with foreign_forms(settings):
        yield live_server.url


def completesurvey(url: str, *arguments: str) -> tuple[str, str, int]:
    """What it printed, what it complained of, and its exit status."""
    out, err = StringIO(), StringIO()
    try:
        call_command("completesurvey", url, *arguments, stdout=out, stderr=err)
    except CommandError as error:
        return out.getvalue(), f"{err.getvalue()}{error}", error.returncode
    return out.getvalue(), err.getvalue(), 0


def stored() -> int:
    from benchsuite.target.survey.store import store

    return store().counts()["completions"]


def test_the_command_shows_what_it_did(surveys: str) -> None:
    out, err, status = completesurvey(f"{surveys}/conference/", "--count=2", "--seed=3", "--show")
    assert (status, err) == (0, "")
    assert "page 1  /bench/survey/conference/" in out
    assert "2  completed: 2 pages, " in out
    assert out.endswith("2 of 2 completed\n")
    assert stored() == 2
    again, _, _ = completesurvey(f"{surveys}/conference/", "--count=2", "--seed=3", "--show")
    answers = [line for line in out.splitlines() if " = " in line]
    assert answers == [line for line in again.splitlines() if " = " in line]
    assert len(answers) > 10


@needs("formtools", "crispy-forms")
def test_what_fails_is_told_by_page(foreign: str) -> None:
    """In each way that tests/integration/test_robot_foreign.py has."""
    out, err, status = completesurvey(f"{foreign}/endless/1/")
    assert status == 1
    assert "page 101 (/endless/101/): the survey has not ended after 100 pages" in err
    assert out == "0 of 1 completed\n"


def test_a_server_that_is_not_there_or_not_ours() -> None:
    assert "page 1 (/): no answer" in completesurvey("http://127.0.0.1:9/")[1]
    assert "page 1 (/): no answer" in completesurvey("http://a..b/", "--yes-this-host=a..b")[1]
    for arguments, words in (
        (["http://example.org/"], "--yes-this-host example.org"),
        (["http://example.org/", "--yes-this-host=example.com"], "is not this machine"),
        (["/survey/"], "write it in full"),
        (["http://127.0.0.1:9/", "--count=0"], "--count must be between 1 and"),
    ):
        _, err, status = completesurvey(*arguments)
        assert (status, words in err) == (2, True), err
    assert "name=value" in completesurvey("http://127.0.0.1:9/", "--answer=x")[1]


@BROWSER
@pytest.mark.parametrize("slug", audited(SLUGS, "coffee"))
def test_each_survey_is_completed_in_a_real_browser(surveys: str, slug: str) -> None:
    out, err, status = completesurvey(f"{surveys}/{slug}/", "--browser", "--seed=1")
    assert (status, err) == (0, "")
    assert "code " in out
    assert stored() == 1


@BROWSER
@needs("formtools", "crispy-forms")
@pytest.mark.parametrize("path", audited(["/wizard/", "/crispy/"], "/wizard/"))
def test_foreign_forms_are_completed_in_a_real_browser(foreign: str, path: str) -> None:
    _, err, status = completesurvey(foreign + path, "--browser", "--timeout=10")
    assert (status, err) == (0, "")
    assert len(views.received) == 1


@BROWSER
@needs("formtools", "crispy-forms")
def test_what_only_a_script_sends_needs_the_browser_and_gets_it(foreign: str) -> None:
    _, err, status = completesurvey(foreign + "/by-script/")
    assert (status, "needs JavaScript" in err) == (1, True)
    out, err, status = completesurvey(foreign + "/by-script/", "--browser", "--done=Gotowe")
    assert (status, err, len(views.received)) == (0, "", 1), out


@BROWSER
@needs("formtools", "crispy-forms")
def test_what_fails_in_the_browser_is_told_by_page(foreign: str) -> None:
    _, err, status = completesurvey(foreign + "/breaks/1/", "--browser")
    assert (status, "page 2 (/breaks/2/): the server answered 500" in err) == (1, True), err
    _, err, status = completesurvey(foreign + "/to-elsewhere/", "--browser", "--timeout=5")
    assert (status, "page 1 (/to-elsewhere/)" in err) == (1, True), err
    assert os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] == "1"
