"""A visitor who knows the definitions, and so what a right answer to each question is."""

from typing import Any

from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchsuite.target.survey.definitions import Question
from benchsuite.target.survey.forms import SEPARATOR

BY_PATTERN = {
    "[A-Z]{2}-[0-9]{3}": "AB-123",
    "([01][0-9]|2[0-3]):[0-5][0-9]": "22:30",
    "[0-9]{4} [0-9]{4} [0-9]{4}": "1234 5678 9012",
    "[A-Z]{3}[0-9]{6}": "ABC123456",
    "[0-9]{5}": "12345",
    "[A-Z]{2}": "FR",
    "[0-9]{4,5}": "12345",
    "\\+[0-9]{6,14}": "+49123456",
}
PICTURE = b"\x89PNG\r\n\x1a\n and so on"


def right_answer(question: Question) -> dict[str, Any]:
    """Form field → a value that is right, also at the question's limits."""
    choices = [choice.value for choice in question.choices.order_by("position")]
    low, high = question.minimum, question.maximum
    if question.kind == "rating":
        return {f"{question.name}{SEPARATOR}{line}": str(int(high)) for line in choices}
    values: dict[str, Any] = {
        "short": BY_PATTERN.get(question.pattern, "Words"),
        "long": "Words\nand more words",
        "number": f"{low or 0:.0f}",
        "date": str(question.earliest or "2020-02-29"),
        "email": "someone@example.com",
        "yesno": "yes",
        "radio": choices[0] if choices else "",
        "select": choices[-1] if choices else "",
        "multiple": choices[: max(1, int(low or 0))],
    }
    if question.kind == "file":
        name = f"scan{question.accept.split(',')[0]}"
        return {question.name: SimpleUploadedFile(name, PICTURE, "image/png")}
    return {question.name: values[question.kind]}


class Visitor:
    """Sends pages as a browser does, with the page's own token."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def get(self, path: str) -> Any:
        return self.client.get(f"/bench/survey/{path}")

    def post(self, path: str, data: dict[str, Any]) -> Any:
        token = self.client.cookies["csrftoken"].value
        return self.client.post(f"/bench/survey/{path}", {**data, "csrfmiddlewaretoken": token})

    def answers(self, slug: str, number: int, **instead: Any) -> dict[str, Any]:
        """Right answers to a page, some of them replaced; None leaves one out."""
        found: dict[str, Any] = {}
        for question in Question.objects.filter(page__survey__slug=slug, page__number=number):
            found.update(right_answer(question))
        found.update(instead)
        return {name: value for name, value in found.items() if value is not None}

    def reach(self, slug: str, number: int) -> None:
        """Begins, and answers every page before this one."""
        self.get(f"{slug}/")
        for before in range(1, number):
            self.post(f"{slug}/{before}/", self.answers(slug, before))

    def complete(self, slug: str, **instead: Any) -> tuple[Any, list[int]]:
        """Answers page after page until there is no form; that page, and the pages' numbers."""
        answer = self.get(f"{slug}/")
        numbers = []
        for _ in range(20):
            page = BeautifulSoup(answer.content, "html.parser")
            form = page.select_one("form.survey")
            if form is None:
                return answer, numbers
            number = int(str(form["action"]).rstrip("/").rpartition("/")[2])
            numbers.append(number)
            shown = {str(one["name"]) for one in form.select("[name]")}
            sent = self.answers(slug, number, **instead)
            sent = {name: value for name, value in sent.items() if name in shown}
            answer = self.post(f"{slug}/{number}/", sent)
            assert answer.status_code == 303, page.select(".errorlist")
            answer = self.client.get(answer["Location"])
        raise AssertionError(f"{slug} did not end: {numbers}")
