"""Each kind of question: what it takes, what it refuses, and how it looks in the page."""

import datetime

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from benchsuite.target.survey.definitions import WITH_CHOICES, Choice, Kind, Page, Question, Survey
from benchsuite.target.survey.forms import PageForm, hint
from tests.unit.survey.test_views import SHAPES

CHOICES = ("red", "green", "blue")


def asked(kind, **limits):
    Survey.objects.filter(slug="one").delete()
    survey = Survey.objects.create(slug="one", title="One")
    page = Page.objects.create(survey=survey, number=1, title="One")
    question = Question.objects.create(
        page=page, position=1, name="it", kind=kind, text="What?", **limits
    )
    if kind in WITH_CHOICES:
        for position, value in enumerate(CHOICES):
            Choice.objects.create(
                question=question, position=position, value=value, label=value.title()
            )
    question.full_clean()
    return question


def sent(question, value):
    """The form after that value was sent for it; of a dict each item by its own name."""
    data = value if isinstance(value, dict) else {"it": value}
    files = {name: one for name, one in data.items() if isinstance(one, SimpleUploadedFile)}
    form = PageForm([question], {k: v for k, v in data.items() if k not in files}, files)
    form.is_valid()
    return form


def control(question):
    return BeautifulSoup(str(PageForm([question])["it"]), "html.parser").find(True)


DAY = datetime.date(2024, 2, 29)
TWO = ["red", "blue"]


def test_a_required_question_takes_what_is_right_alone(golden):
    tried = {Kind.RATING, Kind.FILE}

    def taken(kind, limits, right, wrong):
        tried.add(kind)
        question = asked(kind, **limits)
        for one in [*wrong, {}]:
            form = sent(question, one)
            assert list(form.errors) == ["it"], one
        return sent(question, right).answers()[question.pk]

    golden.cases(taken)
    assert tried == set(Kind)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.RATING, Kind.FILE)])
def test_an_optional_question_may_be_left_empty(kind):
    question = asked(kind, required=False)
    for nothing in ({}, {"it": ""} if kind != Kind.MULTIPLE else {"it": []}):
        form = sent(question, nothing)
        assert form.errors == {}
        assert form.answers() == {question.pk: None}


def test_a_file_is_limited(golden):
    question = asked("file", max_bytes=10, accept=".pdf,.png")

    def case(name, content):
        form = sent(question, {"it": SimpleUploadedFile(name, content)})
        codes = [error.code for error in form.errors.as_data().get("it", [])]
        return codes, question.pk in form.uploads()

    golden.cases(case)


def test_a_browser_is_told_the_limits(golden):
    def case(kind, **limits):
        shown = control(asked(kind, **limits)).attrs
        others = {"aria-describedby", "id", "name"}
        return {name: shown[name] for name in sorted(shown.keys() - others)}

    golden.cases(case)


def test_limits_are_said_in_words(golden):
    golden.cases(lambda kind, limits: hint(Question(kind=kind, **limits)))


def test_values(golden):
    golden.values()


GO_ON = {"smoker": "now", "sport": "yes", "second": "yes", "people": "3", "children": "2"}


def form_of(page):
    (form,) = page.select("form")
    return form


def controls(form):
    found = form.select("input:not([type=hidden]), select, textarea")
    assert found
    return found


def check_page(page):
    form = form_of(page)
    assert form["class"] == ["survey"]
    assert form["method"] == "post"
    assert form.select("input[type=hidden][name=csrfmiddlewaretoken]")
    ids = [str(one["id"]) for one in page.select("[id]")]
    assert len(ids) == len(set(ids))
    for one in controls(form):
        (label,) = page.select(f'label[for="{one["id"]}"]')
        assert label.get_text(strip=True)
        if one.get("type") in ("radio", "checkbox"):
            fieldset = one.find_parent("fieldset")
            assert fieldset.find("legend", recursive=False)
    for described in page.select("[aria-describedby]"):
        for one in str(described["aria-describedby"]).split():
            assert one in ids
    assert bool(form.select("[type=file]")) == (form.get("enctype") == "multipart/form-data")
    assert page.select_one("html")["lang"]  # type: ignore[index]
    assert page.title is not None
    assert not page.select("script")


@pytest.mark.parametrize("slug", SHAPES)
def test_each_page_is_right_when_shown_and_when_refused(slug, visitor, soup):
    visitor.get(f"{slug}/")
    for number in Page.objects.filter(survey__slug=slug).values_list("number", flat=True):
        answer = visitor.get(f"{slug}/{number}/")
        if answer.status_code == 303:  # left out
            continue
        page = soup(answer)
        check_page(page)
        refused = soup(visitor.post(f"{slug}/{number}/", {}))
        check_page(refused)
        assert refused.select("p[role=alert]")
        mistakes = refused.select("ul.errorlist[id]")
        assert mistakes
        for one in mistakes:
            (tied,) = refused.select(f'[aria-describedby~="{one["id"]}"]')
            assert tied.name in ("fieldset", "input", "select", "textarea")
        sent = visitor.answers(slug, number)
        sent.update({name: value for name, value in GO_ON.items() if name in sent})
        names = {one.get("name") for one in controls(form_of(page))}
        sent = {name: value for name, value in sent.items() if name in names}
        assert visitor.post(f"{slug}/{number}/", sent).status_code == 303


def test_the_button_says_whether_it_is_the_last_page(visitor, soup):
    def words(answer):
        return str(soup(answer).select_one("form.survey button").get_text())

    assert words(visitor.get("coffee/")) == "Finish"
    assert words(visitor.get("conference/")) == "Continue"
    visitor.post("conference/1/", visitor.answers("conference", 1))
    assert words(visitor.get("conference/2/")) == "Finish"


def test_what_people_write_is_shown_as_text(visitor, soup):
    visitor.get("conference/")
    sly = {"best": '"><b>x', "topics": "</textarea><b>y", "days": []}
    answer = visitor.post("conference/1/", visitor.answers("conference", 1, **sly))
    page = soup(answer)
    assert not page.select("b")
    assert page.select_one("[name=best]")["value"] == '"><b>x'
