"""Ctrl-C in a command, wherever it strikes."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from benchsuite.management.parsing import BriefCommand


class Struck(BriefCommand):
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        raise KeyboardInterrupt


def test_it_is_a_sentence_and_the_status_that_shells_expect() -> None:
    with pytest.raises(CommandError, match=r"^Interrupted\.$") as raised:
        call_command(Struck())
    assert raised.value.returncode == 130
