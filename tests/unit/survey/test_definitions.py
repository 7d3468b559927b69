"""Definitions of surveys, and which pages they ask."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import IntegrityError

from benchsuite.target.survey.definitions import (
    Choice,
    Condition,
    Flow,
    Page,
    Question,
    Survey,
    load_surveys,
)
from benchsuite.workloads.survey import SLUGS
from tests.unit.survey.conftest import MODELS


def made(**values):
    page = Page.objects.get(survey__slug="coffee", number=1)
    return Question(page=page, position=9, name=values.pop("name", "it"), text="?", **values)


def test_limits_that_make_no_sense_are_refused(golden):
    def case(values):
        with pytest.raises(ValidationError) as found:
            made(**values).full_clean()
        return found.value.message_dict

    golden.cases(case)


def test_what_comes_with_the_package_makes_sense():
    for model in MODELS:
        for one in model.objects.all():
            one.full_clean()
    assert tuple(Survey.objects.values_list("slug", flat=True)) == tuple(sorted(SLUGS))
    for question in Question.objects.filter(kind__in=["radio", "select", "multiple", "rating"]):
        assert question.choices.count() > 1


@pytest.mark.parametrize("both", ["none", "two"])
def test_a_condition_is_on_a_page_or_on_a_question(both):
    source = Question.objects.get(page__survey__slug="census", name="given")
    later = Question.objects.get(page__survey__slug="census", name="phone")
    targets = {"page": later.page, "question": later} if both == "two" else {}
    with pytest.raises(IntegrityError):
        Condition.objects.create(source=source, value="x", **targets)


def test_loading_again_mends_and_adds_nothing():
    before = [model.objects.count() for model in MODELS]
    Question.objects.filter(name="cups").update(text="Changed")
    Choice.objects.filter(question__name="brew").delete()
    assert load_surveys() == (7, 43, 215)
    assert [model.objects.count() for model in MODELS] == before
    assert Question.objects.get(name="cups").text.startswith("How many")


def test_what_is_dumped_can_be_loaded(tmp_path):
    """With natural keys, as the surveys of the package are written."""
    path, models = tmp_path / "mine.json", [model._meta.label_lower for model in MODELS]
    natural = {"natural_foreign": True, "natural_primary": True}
    call_command("dumpdata", *models, output=str(path), verbosity=0, **natural)
    before = [str(one) for one in Condition.objects.all()]
    Survey.objects.all().delete()
    call_command("loaddata", str(path), verbosity=0)
    assert [str(one) for one in Condition.objects.all()] == before


PAGES = [Page(pk=number, number=number) for number in range(1, 6)]
CAR = Question(pk=11, page_id=1, name="car")
BRAND = Question(pk=21, page_id=2, name="brand")
LATE = Question(pk=41, page_id=4, name="late")


def condition(page, source, operator, value):
    return Condition(page_id=page, source=source, operator=operator, value=value)


def numbers(answers, *conditions):
    return [page.number for page in Flow(PAGES, conditions, answers).pages()]


def opening(done):
    """The page that may be opened, which is the first one that is not done, else the last one."""
    return Flow(PAGES, [condition(2, CAR, "is", "yes")], {}).open_page(done).number


def test_values(golden):
    golden.values(raises=ValidationError)
