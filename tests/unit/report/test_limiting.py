"""What limits runs, as the terminal and JSON tell it."""

import pytest

pytestmark = pytest.mark.django_db


def test_values(golden):
    golden.values()
