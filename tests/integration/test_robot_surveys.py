"""The robot on the survey application, in this process: every survey, many seeds."""

import pytest
from django.test import Client, override_settings

from benchsuite.core.exceptions import AnswerError
from benchsuite.workloads.survey import SLUGS, Survey
from tests.needs import audited, needs

pytestmark = [pytest.mark.django_db, needs("selectolax", "faker")]

SEEDS = [range(3), range(3, 12)]


@pytest.fixture(autouse=True)
def surveys(monkeypatch: pytest.MonkeyPatch) -> object:
    from benchsuite.target.survey.definitions import load_surveys

    load_surveys()
    monkeypatch.setenv("BENCHSUITE_RUN", "0123456789ab")
    with override_settings(ROOT_URLCONF="testproject.urls_target"):
        yield


def completions() -> int:
    from benchsuite.target.survey.store import store

    return store().counts()["completions"]


@pytest.mark.parametrize("seeds", audited(SEEDS))
@pytest.mark.parametrize("slug", SLUGS)
def test_each_survey_is_completed_whatever_the_answers(slug: str, seeds: range) -> None:
    workload = Survey()
    for seed in seeds:
        done = workload.complete(Client(enforce_csrf_checks=True), slug, seed=seed)
        assert done.page.completion_code
    assert completions() == len(seeds)


def test_a_user_completes_all_seven_one_after_the_other() -> None:
    workload = Survey()
    first, second = Client(), Client()
    names = []
    for client in (first, second):
        for _ in SLUGS:
            workload.journey(client)  # type: ignore[arg-type]
            names.append(client.journey_name)  # type: ignore[attr-defined]
    assert names[:7] == [f"survey {slug}" for slug in SLUGS]
    assert names[7:] == [f"survey {slug}" for slug in (*SLUGS[1:], SLUGS[0])]
    assert completions() == 14


def test_the_seed_says_which_answers_are_given() -> None:
    workload = Survey()
    runs = [workload.complete(Client(), "health", seed=seed) for seed in (5, 5, 6)]
    answers = [[visit.answers for visit in done.visits] for done in runs]
    assert answers[0] == answers[1] != answers[2]


def test_a_page_that_is_wrong_fails_the_completion_and_is_named(monkeypatch):
    def break_down(*arguments: object) -> None:
        raise RuntimeError("the disk is full")

    client = Client(raise_request_exception=False)
    monkeypatch.setattr("benchsuite.target.survey.store.DatabaseStore.complete", break_down)
    with pytest.raises(AnswerError, match=r"coffee, page \d+ \(/bench/survey/coffee/.*500"):
        Survey().complete(client, "coffee", seed=1)
