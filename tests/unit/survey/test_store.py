"""The database store: whole pages, no second row for a second sending, counts."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchsuite.target.survey.definitions import Question, Survey
from benchsuite.target.survey.store import Answer, DatabaseStore, Participation, Upload


@pytest.fixture
def survey():
    return Survey.objects.get(slug="travel")


def question(name):
    return int(Question.objects.get(page__survey__slug="travel", name=name).pk)


def again(visit, survey):
    return DatabaseStore().visit(survey, visit.id)


def test_a_visit_begins_empty_and_is_found_by_its_id(survey):
    visit = DatabaseStore().begin(survey)
    assert (visit.done, visit.answers, visit.completed) == ([], {}, False)
    assert again(visit, survey) == visit
    other = Survey.objects.get(slug="coffee")
    assert DatabaseStore().visit(other, visit.id) is None
    assert DatabaseStore().visit(survey, uuid.uuid4()) is None


def test_a_page_is_kept_over_what_it_was(survey):
    kept = DatabaseStore()
    visit = kept.begin(survey)
    first, second = question("trips"), question("stay")
    kept.save_page(visit, 1, {first: 3, second: None}, {})
    assert again(visit, survey).done == [1]
    assert again(visit, survey).answers == {first: 3, second: None}
    kept.save_page(again(visit, survey), 1, {first: 4}, {})
    kept.save_page(again(visit, survey), 2, {second: "x"}, {})
    kept.save_page(again(visit, survey), 1, {first: 5}, {})
    assert again(visit, survey).done == [1, 2]
    assert again(visit, survey).answers == {first: 5, second: "x"}


def test_an_upload_replaces_the_one_before(survey):
    kept = DatabaseStore()
    visit = kept.begin(survey)
    photo = question("photo")
    for content in (b"one", b"two"):
        file = SimpleUploadedFile("a" * 300 + ".png", content, "image/png")
        kept.save_page(visit, 8, {photo: {"name": file.name}}, {photo: file})
    upload = Upload.objects.get()
    assert (bytes(upload.content), upload.content_type) == (b"two", "image/png")
    assert len(upload.name) <= 200
    assert upload.name.endswith(".png")


class Torn(SimpleUploadedFile):
    """A file that can't be read to its end."""

    def read(self, *args):
        raise OSError("gone")


def test_a_page_is_kept_whole_or_not_at_all(survey):
    kept = DatabaseStore()
    visit, torn = kept.begin(survey), {question("photo"): Torn("a.png", b"x")}
    with pytest.raises(OSError, match="gone"):
        kept.save_page(visit, 1, {question("trips"): 3}, torn)
    assert again(visit, survey).answers == {}
    assert again(visit, survey).done == []


def test_completing_twice_keeps_the_first_time(survey):
    kept = DatabaseStore()
    visit = kept.begin(survey)
    nights = question("nights")
    kept.save_page(visit, 1, {nights: 2}, {})
    kept.complete(visit)
    first = Participation.objects.get().completed
    kept.complete(visit)
    assert Participation.objects.get().completed == first
    assert again(visit, survey).answers == {nights: 2}
    assert kept.counts() == {"participations": 1, "completions": 1, "answers": 1, "uploads": 0}
    assert Answer.objects.get().value == 2
