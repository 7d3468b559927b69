"""Participations and their answers, and the store of both in the database."""

import os
import secrets
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections, models, router, transaction
from django.db.models import UniqueConstraint
from django.utils import timezone
from django.utils.module_loading import import_string

from benchsuite.target.survey.definitions import Question, Survey

CODE_BYTES = 5
Answers = Mapping[int, Any]  #: Question's ID → value; None if left empty.
Uploads = Mapping[int, "UploadedFile[bytes]"]  #: Question's ID → file.


def new_code() -> str:
    """A completion code: short enough to type, too long to guess."""
    return secrets.token_hex(CODE_BYTES).upper()


class Participation(models.Model):
    """One person's way through one survey."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="participations")
    code = models.CharField(max_length=2 * CODE_BYTES, default=new_code, editable=False)
    done = models.JSONField(default=list, editable=False)  #: As in `Visit`.
    started = models.DateTimeField(auto_now_add=True)
    completed = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return self.code

    def visit(self, answers: Answers) -> "Visit":
        return Visit(
            id=self.pk,
            code=self.code,
            done=self.done,
            answers=answers,
            completed=self.completed is not None,
        )


class Answer(models.Model):
    """The answer to one question; null if it was left empty."""

    participation = models.ForeignKey(Participation, models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, models.CASCADE, related_name="answers")
    value = models.JSONField(null=True, encoder=DjangoJSONEncoder)

    class Meta:
        constraints = [UniqueConstraint(fields=["participation", "question"], name="survey_answer")]

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
        constraints = [UniqueConstraint(fields=["participation", "question"], name="survey_upload")]

    def __str__(self) -> str:
        return self.name


CASSANDRA = "benchsuite.target.survey.cassandra.CassandraStore"  #: Only there with its driver.
CASSANDRA_URL = "BENCHSUITE_CASSANDRA_URL"  #: Set where the run started one for the answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One person's progress through a survey."""

    id: uuid.UUID
    code: str
    done: Collection[int]  #: Numbers of the pages sent without errors.
    answers: Answers
    completed: bool


@cache
def store() -> Any:
    """That of the run's Cassandra where it has one, else the database's, which does the same."""
    return import_string(CASSANDRA)() if CASSANDRA_URL in os.environ else DatabaseStore()


class DatabaseStore:
    """Each call is atomic. Visits are read where they are written: a replica may lag."""

    def begin(self, survey: Survey) -> Visit:
        return Participation.objects.create(survey=survey).visit({})

    def visit(self, survey: Survey, pk: uuid.UUID) -> Visit | None:
        """The visit with that ID; None if this survey has none."""
        written = router.db_for_write(Participation)
        participation = Participation.objects.using(written).filter(pk=pk, survey=survey).first()
        if participation is None:
            return None
        rows = Answer.objects.using(written).filter(participation=participation)
        return participation.visit(dict(rows.values_list("question_id", "value")))

    def save_page(self, visit: Visit, number: int, answers: Answers, uploads: Uploads) -> None:
        """Stores a page's answers in place of earlier ones, and marks the page as done."""
        rows = [
            Answer(participation_id=visit.id, question_id=question, value=value)
            for question, value in answers.items()
        ]
        files = [
            Upload(
                participation_id=visit.id,
                question_id=question,
                name=(file.name or "")[-200:],
                content_type=(file.content_type or "")[:100],
                content=file.read(),
            )
            for question, file in uploads.items()
        ]
        with transaction.atomic(using=router.db_for_write(Participation)):
            _put(rows, "value")
            _put(files, "name", "content_type", "content")
            Participation.objects.filter(pk=visit.id).update(done=sorted({*visit.done, number}))

    def complete(self, visit: Visit) -> None:
        """Ends the visit; idempotent."""
        Participation.objects.filter(pk=visit.id, completed=None).update(completed=timezone.now())

    def counts(self) -> Mapping[str, int]:
        return {
            "participations": Participation.objects.count(),
            "completions": Participation.objects.exclude(completed=None).count(),
            "answers": Answer.objects.count(),
            "uploads": Upload.objects.count(),
        }


def _put(rows: list[Any], *fields: str) -> None:
    """Inserts or updates in one statement."""
    if not rows:
        return
    written = connections[router.db_for_write(Participation)]
    named = written.features.supports_update_conflicts_with_target
    type(rows[0]).objects.bulk_create(
        rows,
        update_conflicts=True,
        update_fields=fields,
        unique_fields=["participation", "question"] if named else None,
    )
