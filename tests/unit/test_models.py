"""Models and their one migration say the same."""

import pytest
from django.core.management import call_command


@pytest.mark.django_db
@pytest.mark.parametrize("app", ["benchsuite", "benchsuite_target"])
def test_nothing_is_left_to_migrate(app: str) -> None:
    """Else the command would end with status 1, which is SystemExit here."""
    call_command("makemigrations", app, check=True, dry_run=True)
