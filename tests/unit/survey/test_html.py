"""Every page of every survey as a parser reads it: one form, names bound, mistakes tied."""

from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

from benchsuite.target.survey.definitions import Page
from tests.unit.survey.test_views import SHAPES
from tests.unit.survey.visitor import Visitor

GO_ON = {"smoker": "now", "sport": "yes", "second": "yes", "people": "3", "children": "2"}


def form_of(page: BeautifulSoup) -> Tag:
    (form,) = page.select("form")
    return form


def controls(form: Tag) -> list[Tag]:
    found = form.select("input:not([type=hidden]), select, textarea")
    assert found
    return found


def check_page(page: BeautifulSoup) -> None:
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
            assert fieldset is not None
            assert fieldset.find("legend", recursive=False)
    for described in page.select("[aria-describedby]"):
        for one in str(described["aria-describedby"]).split():
            assert one in ids
    assert bool(form.select("[type=file]")) == (form.get("enctype") == "multipart/form-data")
    assert page.select_one("html")["lang"]  # type: ignore[index]
    assert page.title is not None
    assert not page.select("script")


@pytest.mark.parametrize("slug", SHAPES)
def test_each_page_is_right_when_shown_and_when_refused(
    slug: str, visitor: Visitor, soup: Any
) -> None:
    visitor.get(f"{slug}/")
    for number in Page.objects.filter(survey__slug=slug).values_list("number", flat=True):
        answer = visitor.get(f"{slug}/{number}/")
        if answer.status_code == 303:  # left out
            continue
        page = soup(answer)
        check_page(page)
        assert bool(page.select("button[name=back][formnovalidate]")) == (number > 1)
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


def test_the_button_says_whether_it_is_the_last_page(visitor: Visitor, soup: Any) -> None:
    def words(answer: Any) -> str:
        return str(soup(answer).select_one("form.survey button").get_text())

    assert words(visitor.get("coffee/")) == "Finish"
    assert words(visitor.get("conference/")) == "Continue"
    visitor.post("conference/1/", visitor.answers("conference", 1))
    assert words(visitor.get("conference/2/")) == "Finish"


def test_what_people_write_is_shown_as_text(visitor: Visitor, soup: Any) -> None:
    visitor.get("conference/")
    sly = {"best": '"><b>x', "topics": "</textarea><b>y", "days": []}
    answer = visitor.post("conference/1/", visitor.answers("conference", 1, **sly))
    page = soup(answer)
    assert not page.select("b")
    assert page.select_one("[name=best]")["value"] == '"><b>x'
