"""The survey application as a browser meets it."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signing import get_cookie_signer
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchsuite.target.survey import views
from benchsuite.target.survey.definitions import Survey
from benchsuite.target.survey.store import Answer, Participation, Upload, store
from tests.unit.survey.visitor import Visitor

SHAPES = {
    "coffee": (1, 5),
    "conference": (2, 10),
    "workplace": (4, 20),
    "health": (6, 30),
    "travel": (8, 40),
    "housing": (10, 50),
    "census": (12, 60),
}
TO_SHOW = 6
TO_TAKE = 8


def queries(ask):
    """Statements that asking took; a test's savepoints stand for transactions, and don't count."""
    with CaptureQueriesContext(connection) as captured:
        ask()
    return sum("SAVEPOINT" not in query["sql"] for query in captured.captured_queries)


def stored(slug):
    """Question's name → value, of the one participation there is."""
    answers = Answer.objects.filter(participation__survey__slug=slug)
    return dict(answers.values_list("question__name", "value"))


def test_the_list_links_to_every_survey(visitor, soup):
    answers = []
    assert queries(lambda: answers.append(visitor.get(""))) == 1
    page = soup(answers[0])
    listed = {link["href"]: link.parent.get_text(" ", strip=True) for link in page.select("li a")}
    assert set(listed) == {f"/bench/survey/{slug}/" for slug in SHAPES}
    for slug, (pages, questions) in SHAPES.items():
        text = " ".join(listed[f"/bench/survey/{slug}/"].split())
        assert f"{questions} questions on {pages} page" in text


@pytest.mark.parametrize("slug", SHAPES)
def test_each_survey_can_be_completed(slug, visitor, soup):
    answer, numbers = visitor.complete(slug)
    page = soup(answer)
    code = page.select_one("output[data-completion-code]").get_text()
    assert re.fullmatch("[0-9A-F]{10}", code)
    assert not page.select("form")
    assert numbers == sorted(set(numbers))
    participation = Participation.objects.get()
    assert (participation.code, participation.survey.slug) == (code, slug)
    assert participation.completed
    assert store().counts()["completions"] == 1
    asked = set(Answer.objects.values_list("question__page__number", flat=True))
    assert asked == set(numbers)


def test_pages_that_do_not_concern_are_left_out(visitor):
    _, numbers = visitor.complete("health", smoker="never", sport="no")
    assert numbers == [1, 4, 5, 6]
    assert "water" not in stored("health")
    other = Visitor(Client())
    other.client.cookies.clear()
    _, numbers = other.complete("health", smoker="now", sport="yes")
    assert numbers == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("people", "times", "citizen", "tongues"), [("1", 0, "DE", set()), ("10", 1, "FR", {"tongue"})]
)
def test_numbers_are_compared_as_numbers_and_one_question_can_be_left_out(
    people, times, citizen, tongues, visitor
):
    _, numbers = visitor.complete("census", people=people, citizen=citizen)
    assert numbers.count(6) == times
    assert {"tongue"} & set(stored("census")) == tongues


def test_someone_who_returns_goes_on_where_they_stopped(visitor):
    visitor.reach("workplace", 3)
    later = Visitor(Client())
    later.client.cookies = visitor.client.cookies
    answer = later.get("workplace/")
    assert (answer.status_code, answer["Location"]) == (303, "/bench/survey/workplace/3/")
    assert later.get("workplace/1/")["Location"] == "/bench/survey/workplace/3/"
    assert Participation.objects.count() == 1


def test_the_same_page_sent_twice_counts_once_and_after_the_end_another_one_begins(visitor):
    visitor.get("coffee/")
    sent = visitor.answers("coffee", 1)
    first, second = (visitor.post("coffee/1/", sent) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert store().counts() == {"participations": 1, "completions": 1, "answers": 5, "uploads": 0}
    assert visitor.get("coffee/1/")["Location"] == first["Location"]
    visitor.complete("coffee")
    assert store().counts() == {"participations": 2, "completions": 2, "answers": 10, "uploads": 0}


def test_skipping_ahead_is_refused(visitor):
    visitor.reach("workplace", 2)
    sent = visitor.answers("workplace", 4)
    for answer in (visitor.get("workplace/4/"), visitor.post("workplace/4/", sent)):
        assert (answer.status_code, answer["Location"]) == (303, "/bench/survey/workplace/2/")
    assert Answer.objects.filter(question__page__number=4).count() == 0
    assert store().counts()["completions"] == 0


def test_what_is_left_out_is_refused_and_what_does_not_exist_is_not_found(visitor):
    visitor.get("health/")
    visitor.post("health/1/", visitor.answers("health", 1, smoker="never"))
    answer = visitor.post("health/2/", visitor.answers("health", 2))
    assert (answer.status_code, answer["Location"]) == (303, "/bench/survey/health/3/")
    Survey.objects.create(slug="empty", title="Empty")
    assert b"Empty" not in visitor.get("").content
    visitor.get("coffee/")
    code = Participation.objects.get(survey__slug="coffee").code
    early = f"coffee/thanks/{code}/"
    for path in ("nothing/", "nothing/1/", "nothing/thanks/X/", "empty/", early):
        assert visitor.get(path).status_code == 404, path


@pytest.mark.parametrize("cookie", ["", "forged", "4f7d4ec6-0f4f-4c4c-9bb0-3a1f0f6f3a11:x:y", None])
def test_without_its_cookie_a_page_leads_to_the_start(cookie, visitor):
    visitor.get("coffee/")
    signed = get_cookie_signer("survey_coffee" + views._SALT).sign("no id at all")
    visitor.client.cookies["survey_coffee"] = signed if cookie is None else cookie
    answer = visitor.post("coffee/1/", visitor.answers("coffee", 1))
    assert (answer.status_code, answer["Location"]) == (303, "/bench/survey/coffee/")
    assert Answer.objects.count() == 0
    visitor.get("coffee/")
    stolen = visitor.client.cookies["survey_coffee"].value
    visitor.client.cookies["survey_conference"] = stolen
    assert visitor.get("conference/1/")["Location"] == "/bench/survey/conference/"


@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_page_without_its_token_is_refused(token, visitor):
    visitor.get("coffee/")
    sent = visitor.answers("coffee", 1)
    if token:
        sent["csrfmiddlewaretoken"] = token
    assert visitor.client.post("/bench/survey/coffee/1/", sent).status_code == 403
    assert Answer.objects.count() == 0


def test_the_thanks_are_for_those_who_finished(visitor):
    answer, _ = visitor.complete("coffee")
    path = f"/bench/survey/coffee/thanks/{Participation.objects.get().code}/"
    assert visitor.client.get(path).status_code == 200
    assert visitor.client.get("/bench/survey/coffee/thanks/0123456789/").status_code == 404
    assert Client().get(path).status_code == 404
    assert Participation.objects.get().code.encode() in answer.content


def test_a_file_is_checked_and_kept(visitor, soup):
    visitor.reach("travel", 8)
    big = SimpleUploadedFile("big.png", b"x" * 200_001, "image/png")
    answer = visitor.post("travel/8/", visitor.answers("travel", 8, photo=big))
    assert "at most 195.3" in soup(answer).select_one("#id_photo_error").get_text()
    program = SimpleUploadedFile("run.exe", b"x", "image/png")
    answer = visitor.post("travel/8/", visitor.answers("travel", 8, photo=program))
    assert ".png, .jpg" in soup(answer).select_one("#id_photo_error").get_text()
    assert Upload.objects.count() == 0
    second = SimpleUploadedFile("day2.png", b"second", "image/png")
    answer = visitor.post("travel/8/", visitor.answers("travel", 8, photo=second))
    assert "/thanks/" in answer["Location"]
    assert bytes(Upload.objects.get().content) == b"second"
    assert stored("travel")["photo"] == {"name": "day2.png", "bytes": 6}


def test_a_large_body_is_refused_unread(visitor, monkeypatch):
    monkeypatch.setattr(views, "LARGEST_BODY", 1000)
    visitor.get("coffee/")
    answer = visitor.post("coffee/1/", visitor.answers("coffee", 1, wish="x" * 1000))
    assert answer.status_code == 413
    assert b"1000\xc2\xa0bytes" in answer.content
    assert Answer.objects.count() == 0


def test_pages_are_not_there_outside_a_run(visitor, monkeypatch):
    monkeypatch.delenv("BENCHSUITE_RUN")
    for path in ("", "coffee/", "coffee/1/", "coffee/thanks/X/"):
        assert visitor.get(path).status_code == 404


@pytest.mark.parametrize(("slug", "number"), [("coffee", 1), ("workplace", 3), ("census", 11)])
def test_a_page_takes_few_queries_however_large_the_survey(slug, number, visitor):
    visitor.reach(slug, number)
    assert queries(lambda: visitor.get(f"{slug}/{number}/")) == TO_SHOW
    sent = visitor.answers(slug, number)
    finishes = slug == "coffee"
    assert queries(lambda: visitor.post(f"{slug}/{number}/", sent)) == TO_TAKE + finishes
