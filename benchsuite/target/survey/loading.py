"""Loads the surveys of the package; loading them again restores them."""

from dataclasses import dataclass
from pathlib import Path

from django.core.management import call_command
from django.db import connections, transaction

from benchsuite.target.survey.definitions import Page, Question, Survey

FOLDER = Path(__file__).parent.parent / "fixtures" / "surveys"


class SurveyError(Exception):
    """The surveys can't be loaded; says what to do."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The package's surveys in the database afterwards."""

    surveys: int
    pages: int
    questions: int


def slugs() -> list[str]:
    """The names of the package's surveys, the smallest first."""
    files = sorted(FOLDER.glob("*.json"), key=lambda path: path.stat().st_size)
    return [path.stem for path in files]


def load_surveys(*, using: str = "default") -> Loaded:
    """Creates or restores the seven surveys; answers and other surveys stay."""
    _check_tables(using)
    names = slugs()
    with transaction.atomic(using=using):
        for name in names:
            call_command("loaddata", str(FOLDER / f"{name}.json"), database=using, verbosity=0)
    pages = Page.objects.using(using).filter(survey__slug__in=names)
    questions = Question.objects.using(using).filter(page__in=pages)
    return Loaded(len(names), pages.count(), questions.count())


def _check_tables(using: str) -> None:
    table = Survey._meta.db_table
    if table not in connections[using].introspection.table_names():
        raise SurveyError(
            f"The table {table} is not in {connections[using].settings_dict['NAME']}; create it: "
            "python manage.py migrate benchsuite_target"
        )
