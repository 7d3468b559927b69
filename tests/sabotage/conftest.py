"""One session for all broken runs."""

from collections.abc import Iterator

import pytest

from tests.sabotage.runs import Laboratory, laboratory


@pytest.fixture(scope="session")
def shared() -> Iterator[Laboratory]:
    with laboratory() as made:
        yield made


@pytest.fixture
def lab(shared: Laboratory) -> Iterator[Laboratory]:
    yield shared
    shared.ceilings.clear()
