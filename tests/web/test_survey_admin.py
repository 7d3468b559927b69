"""Surveys are edited in the admin."""

import pytest
from bs4 import BeautifulSoup

from benchsuite.target.survey.definitions import Condition, Page, Question, Survey


@pytest.fixture
def survey():
    made = Survey.objects.create(slug="mine", title="Mine")
    for number in (1, 2):
        page = Page.objects.create(survey=made, number=number, title=f"Part {number}")
        Question.objects.create(
            page=page, position=1, name=f"q{number}", kind="short", text=f"Number {number}?"
        )
    return made


def fields(answer):
    """What a browser would send of the page's form without a change."""
    form = BeautifulSoup(answer.content, "html.parser").select_one("#content-main form")
    found = {}
    for one in form.select("input[name], textarea[name], select[name]"):
        chosen = one.select_one("[selected]") if one.name == "select" else None
        if one.get("type") in ("checkbox", "submit") and not one.has_attr("checked"):
            continue
        value = chosen["value"] if chosen else one.get("value", "")
        found[str(one["name"])] = one.get_text().lstrip("\n") if one.name == "textarea" else value
    return {name: value for name, value in found.items() if "__prefix__" not in name}


def test_lists_are_shown(admin, survey):
    for model in ("survey", "page", "question"):
        assert admin.get(f"/admin/benchsuite_target/{model}/").status_code == 200


def test_a_condition_is_on_an_earlier_page_and_is_stored(admin, survey):
    first, second = Page.objects.filter(survey=survey).order_by("number")
    path = f"/admin/benchsuite_target/page/{second.pk}/change/"
    source = first.questions.get()
    sent = fields(admin.get(path))
    condition = {"page": str(second.pk), "source": str(source.pk), "operator": "is", "value": "x"}
    sent |= {f"conditions-0-{name}": value for name, value in condition.items()}
    sent["conditions-TOTAL_FORMS"] = "1"
    later = {"conditions-0-source": str(second.questions.get().pk)}
    assert b"a question of an earlier page" in admin.post(path, sent | later).content
    answer = admin.post(path, sent)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert Condition.objects.get().page == second


def test_limits_without_sense_are_refused_with_words(admin, survey):
    question = Question.objects.get(name="q1")
    path = f"/admin/benchsuite_target/question/{question.pk}/change/"
    answer = admin.post(path, fields(admin.get(path)) | {"pattern": "("})
    assert answer.status_code == 200
    assert "Not a regular expression" in answer.content.decode()


def test_a_page_of_the_admin_takes_few_queries(admin, survey, django_assert_max_num_queries):
    page = Page.objects.get(survey=survey, number=2)
    for position in range(2, 30):
        Question.objects.create(
            page=page, position=position, name=f"x{position}", kind="short", text="?"
        )
    with django_assert_max_num_queries(20):
        admin.get(f"/admin/benchsuite_target/page/{page.pk}/change/")
