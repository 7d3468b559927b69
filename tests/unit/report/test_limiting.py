"""What limits runs, as the terminal and JSON tell it."""

from typing import Any

import pytest

pytestmark = pytest.mark.django_db

FULL: dict[str, Any] = {"cpu_percent": 190.0, "environment": {"cpu_usable": 2}}


def test_values(golden):
    golden.values()
