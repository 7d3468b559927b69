"""The form of one page: the fields of its questions, read as their answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django import forms
from django.core import validators as checks
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.forms.renderers import DjangoTemplates
from django.template.defaultfilters import filesizeformat

from benchsuite.target.survey.definitions import LARGEST_UPLOAD, WITH_CHOICES, Kind, Question

ISO = "%Y-%m-%d"
SEPARATOR = "__"  #: Between a rating question's name and its line's in the name of a field.
NO_ANSWER = ("", "No answer")
SHORT_LENGTH = 200
LONG_LENGTH = 5000


def fields_of(question: Question) -> dict[str, forms.Field]:
    """Field name → field."""
    if question.kind == Kind.RATING:
        assert question.minimum is not None
        assert question.maximum is not None
        steps = range(int(question.minimum), int(question.maximum) + 1)
        fields = {}
        for line in question.choices.all():
            field = _buttons(question, [(str(step), str(step)) for step in steps])
            field.label = line.label
            fields[f"{question.name}{SEPARATOR}{line.value}"] = field
        return fields
    field = _field(question)
    field.label = question.text
    field.help_text = " ".join(part for part in (question.help, hint(question)) if part)
    return {question.name: field}


def hint(question: Question) -> str:
    """The limits of a question in words, if browsers don't show them."""
    low, high = question.minimum, question.maximum
    if question.kind == Kind.NUMBER and low is not None and high is not None:
        return f"From {low.normalize():f} to {high.normalize():f}."
    if question.kind == Kind.MULTIPLE:
        least = max(int(low or 0), 1 if question.required else 0)
        if high is None:
            return f"Tick at least {least}." if least else ""
        return f"Tick {least} to {int(high)}."
    if question.kind == Kind.FILE:
        endings = f"{question.accept.replace(',', ', ')}, " if question.accept else ""
        return f"{endings}at most {filesizeformat(question.max_bytes or LARGEST_UPLOAD)}."
    return question.pattern_hint


def _field(question: Question) -> forms.Field:
    required, choices = question.required, [("yes", "Yes"), ("no", "No")]
    if question.kind in WITH_CHOICES:
        choices = [(choice.value, choice.label) for choice in question.choices.all()]
    length = question.max_length or (LONG_LENGTH if question.kind == Kind.LONG else SHORT_LENGTH)
    text: dict[str, Any] = {"required": required, "max_length": length}
    match question.kind:
        case Kind.SHORT:
            validators, attributes = [], {}
            if question.pattern:
                message = question.pattern_hint or "This does not have the required format."
                validators = [checks.RegexValidator(rf"^(?:{question.pattern})\Z", message)]
                attributes = {"pattern": question.pattern, "title": message}
            return forms.CharField(
                validators=validators, widget=forms.TextInput(attributes), **text
            )
        case Kind.LONG:
            return forms.CharField(widget=forms.Textarea({"rows": 5}), **text)
        case Kind.EMAIL:
            return forms.EmailField(widget=forms.EmailInput({"autocomplete": "email"}), **text)
        case Kind.NUMBER:
            return _number(question)
        case Kind.DATE:
            return _date(question)
        case Kind.YESNO | Kind.RADIO:
            return _buttons(question, choices)
        case Kind.SELECT:
            return forms.ChoiceField(required=required, choices=[("", "Choose one …"), *choices])
        case Kind.MULTIPLE:
            boxes, limits = forms.CheckboxSelectMultiple, _ticks(question)
            return forms.MultipleChoiceField(
                required=required, choices=choices, widget=boxes, validators=limits
            )
        case _:
            return _file(question)


def _number(question: Question) -> forms.Field:
    decimals, limits = question.decimals, (question.minimum, question.maximum)
    if not decimals:
        least, most = (None if limit is None else int(limit) for limit in limits)
        return forms.IntegerField(required=question.required, min_value=least, max_value=most)
    low, high = (None if limit is None else round(limit, decimals) for limit in limits)
    return forms.DecimalField(
        required=question.required,
        min_value=low,
        max_value=high,
        max_digits=12,
        decimal_places=decimals,
    )


def _date(question: Question) -> forms.Field:
    attributes: dict[str, Any] = {"type": "date"}
    validators: list[Callable[[Any], None]] = []
    if first := question.earliest:
        attributes["min"] = first.isoformat()
        validators.append(checks.MinValueValidator(first, f"Not before {first}."))
    if last := question.latest:
        attributes["max"] = last.isoformat()
        validators.append(checks.MaxValueValidator(last, f"Not after {last}."))
    widget = forms.DateInput(attributes, ISO)
    return forms.DateField(
        required=question.required, input_formats=[ISO], widget=widget, validators=validators
    )


def _ticks(question: Question) -> list[Callable[[Any], None]]:
    message = f"{hint(question)} You ticked %(show_value)d."
    least, most = checks.MinLengthValidator, checks.MaxLengthValidator
    limits = (least, question.minimum), (most, question.maximum)
    return [validator(int(limit), message) for validator, limit in limits if limit is not None]


def _file(question: Question) -> forms.Field:
    endings = [ending.strip().lower() for ending in question.accept.split(",") if ending.strip()]
    most = min(question.max_bytes or LARGEST_UPLOAD, LARGEST_UPLOAD)

    def small(file: "UploadedFile[bytes]") -> None:
        if (size := file.size or 0) > most:
            raise ValidationError(
                f"The file has {filesizeformat(size)}, and at most {filesizeformat(most)} "
                "are allowed.",
                code="too_big",
            )

    validators: list[Callable[[Any], None]] = [small]
    if endings:
        message = f"Only files that end in {', '.join(endings)} are allowed."
        known = [ending.removeprefix(".") for ending in endings]
        validators.append(checks.FileExtensionValidator(known, message, "ending"))
    widget = forms.FileInput({"accept": question.accept} if endings else {})
    return forms.FileField(required=question.required, validators=validators, widget=widget)


def _buttons(question: Question, choices: list[tuple[str, str]]) -> forms.Field:
    """Optional buttons get one more for no answer, because a choice can't be undone."""
    offered = choices if question.required else [*choices, NO_ANSWER]
    return forms.ChoiceField(required=question.required, choices=offered, widget=forms.RadioSelect)


class PageForm(forms.Form):
    default_renderer = DjangoTemplates()
    use_required_attribute = True
    error_css_class = "wrong"

    def __init__(self, questions: Sequence[Question], data: Any = None, files: Any = None) -> None:
        super().__init__(data, files)
        self._names: dict[int, list[str]] = {}
        self._questions = questions
        for question in questions:
            made = fields_of(question)
            self._names[question.pk] = list(made)
            self.fields.update(made)

    def items(self) -> Iterator[dict[str, Any]]:
        """Each question with its fields, for the template."""
        for question in self._questions:
            fields = [self[name] for name in self._names[question.pk]]
            yield {"question": question, "fields": fields, "is_grid": question.kind == Kind.RATING}

    def answers(self) -> dict[int, Any]:
        """Question's ID → value, or None, of a valid form."""
        by_question: dict[int, Any] = {}
        for question in self._questions:
            names = self._names[question.pk]
            value: Any = self.cleaned_data[names[0]]
            if question.kind == Kind.RATING:
                lines = ((name.partition(SEPARATOR)[2], self.cleaned_data[name]) for name in names)
                value = {line: step for line, step in lines if step}
            elif isinstance(value, UploadedFile):
                value = {"name": value.name, "bytes": value.size}
            by_question[question.pk] = None if value in ("", [], {}) else value
        return by_question

    def uploads(self) -> "dict[int, UploadedFile[bytes]]":
        """Question's ID → uploaded file."""
        return {
            question.pk: file
            for question in self._questions
            if isinstance(file := self.cleaned_data.get(question.name), UploadedFile)
        }
