"""The form of one page: built from its questions, read as their answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.forms.renderers import DjangoTemplates

from benchsuite.target.survey.definitions import Question
from benchsuite.target.survey.fields import SEPARATOR, fields_of, hint
from benchsuite.target.survey.kinds import Kind


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its fields, for the template."""

    question: Question
    fields: Sequence[forms.BoundField]

    @property
    def is_grid(self) -> bool:
        return self.question.kind == Kind.RATING


class PageForm(forms.Form):
    """`answers` are earlier answers by question ID."""

    default_renderer = DjangoTemplates()
    use_required_attribute = True
    error_css_class = "wrong"

    def __init__(
        self,
        questions: Sequence[Question],
        answers: Mapping[int, Any],
        data: Any = None,
        files: Any = None,
    ) -> None:
        initial: dict[str, Any] = {}
        for question in questions:
            initial.update(_initial(question, answers.get(question.pk)))
        super().__init__(data, files, initial=initial)
        self._names: dict[int, list[str]] = {}
        self._questions = questions
        for question in questions:
            made = fields_of(question)
            self._names[question.pk] = list(made)
            self.fields.update(made)
        self.note_kept(answers)

    def note_kept(self, answers: Mapping[int, Any]) -> None:
        """Makes the files among these answers optional, and says that they are kept."""
        for question in self._questions:
            if question.kind == Kind.FILE and (kept := answers.get(question.pk)):
                words = f"{kept['name']} is kept; choose a file to replace it."
                self[question.name].help_text = " ".join([words, hint(question)])
                self.fields[question.name].required = False

    def items(self) -> Iterator[Item]:
        for question in self._questions:
            yield Item(question, [self[name] for name in self._names[question.pk]])

    def answers(self) -> dict[int, Any]:
        """Question's ID → value, for those without errors; None if left empty.

        A file that was not sent again has no entry: the kept one stays.
        """
        found: dict[int, Any] = {}
        for question in self._questions:
            names = self._names[question.pk]
            if any(name not in self.cleaned_data for name in names):
                continue
            sent = self.cleaned_data[names[0]] if names else None
            if question.kind == Kind.FILE and not isinstance(sent, UploadedFile):
                if not self.initial.get(question.name):
                    found[question.pk] = None
                continue
            found[question.pk] = self._answer(question, names)
        return found

    def uploads(self) -> "dict[int, UploadedFile[bytes]]":
        """Question's ID → uploaded file."""
        return {
            question.pk: file
            for question in self._questions
            if question.kind == Kind.FILE
            and isinstance(file := self.cleaned_data.get(question.name), UploadedFile)
        }

    def _answer(self, question: Question, names: Sequence[str]) -> Any:
        values = [self.cleaned_data[name] for name in names]
        if question.kind == Kind.RATING:
            lines = {
                name.partition(SEPARATOR)[2]: value
                for name, value in zip(names, values, strict=True)
                if value != ""
            }
            return lines or None
        (value,) = values
        if isinstance(value, UploadedFile):
            return {"name": value.name, "bytes": value.size}
        return None if value in ("", []) else value


def _initial(question: Question, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if question.kind == Kind.RATING:
        return {f"{question.name}{SEPARATOR}{line}": step for line, step in value.items()}
    return {question.name: value}
