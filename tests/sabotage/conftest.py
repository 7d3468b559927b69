"""One session for all broken runs."""

import pytest

from tests.sabotage.runs import laboratory


@pytest.fixture(scope="session")
def shared():
    with laboratory() as made:
        yield made


@pytest.fixture
def lab(shared):
    yield shared
    shared.ceilings.clear()
