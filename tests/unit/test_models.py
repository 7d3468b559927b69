"""Models and their migrations say the same, and what was stored before stays readable."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from benchsuite.models import Finding, Run


@pytest.mark.django_db
@pytest.mark.parametrize("app", ["benchsuite", "benchsuite_target"])
def test_nothing_is_left_to_migrate(app):
    """Else the command would end with status 1, which is SystemExit here."""
    call_command("makemigrations", app, check=True, dry_run=True)


@pytest.mark.django_db(transaction=True)
def test_what_sentences_decided_before_has_a_code():
    executor = MigrationExecutor(connection)
    executor.migrate([("benchsuite", "0002_patterns")])
    before = executor.loader.project_state(("benchsuite", "0002_patterns")).apps
    try:
        for failure, message in (
            ("There is no space left in /tmp; make room.", "A limit was reached: it was full."),
            (
                "gunicorn ended.",
                "A limit was reached: 3 × the database had no connection left; "
                "SQLite was locked by another writer.",
            ),
        ):
            run = before.get_model("benchsuite", "Run").objects.create(
                started_at=datetime.now(UTC), duration_s=1, warmup_s=1, spec={}, failure=failure
            )
            run.findings.create(code="B204 target-limit", level="weak", message=message)
    finally:
        call_command("migrate", "benchsuite", verbosity=0)
    full, died = Run.objects.order_by("-failure_code").values_list("failure_code", flat=True)
    assert (full, died) == ("disk-full", "")
    rows = list(Finding.objects.order_by("pk").values_list("value", "unit", "causes"))
    assert rows == [(None, "", []), (None, "", ["database-sessions", "sqlite-lock"])]
