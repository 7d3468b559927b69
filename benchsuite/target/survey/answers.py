"""Participations, answers (one row for each question asked) and uploads."""

import secrets
import uuid

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from benchsuite.target.survey.definitions import Question, Survey

CODE_BYTES = 5


def new_code() -> str:
    """A completion code: short enough to type, too long to guess."""
    return secrets.token_hex(CODE_BYTES).upper()


class Participation(models.Model):
    """One person's way through one survey."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="participations")
    code = models.CharField(max_length=2 * CODE_BYTES, default=new_code, editable=False)
    done = models.JSONField(default=list, editable=False)
    """Numbers of the pages sent without errors."""
    started = models.DateTimeField(auto_now_add=True)
    completed = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return self.code


class Answer(models.Model):
    """The answer to one question; null if it was left empty."""

    participation = models.ForeignKey(Participation, models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, models.CASCADE, related_name="answers")
    value = models.JSONField(null=True, encoder=DjangoJSONEncoder)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participation", "question"], name="survey_answer"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.value}"


class Upload(models.Model):
    """A file that answers a question; the answer has its name and size."""

    participation = models.ForeignKey(Participation, models.CASCADE, related_name="uploads")
    question = models.ForeignKey(Question, models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=200)
    content_type = models.CharField(max_length=100)
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participation", "question"], name="survey_upload"),
        ]

    def __str__(self) -> str:
        return self.name
