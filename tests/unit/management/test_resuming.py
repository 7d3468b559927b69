"""Executions that other commands may go on with: what is stored of their end."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.management import resuming


def test_an_end_that_can_not_be_stored_is_told():
    def save():
        raise OperationalError("database is locked")

    row: Any = SimpleNamespace(status="running", owner="me", ended_at=None, save=save)
    with pytest.raises(BenchsuiteError, match="locked"), resuming.entered(row):
        pass
    assert (row.status, row.ended_at) == ("interrupted", None)
