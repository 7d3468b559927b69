"""Commands that make runs, without a machine that makes them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from benchsuite import runner
from benchsuite.management import session as management_session


@pytest.fixture
def run_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """A function that is told what makes the runs."""

    def use(made: Any) -> None:
        @contextmanager
        def session(**given: Any) -> Iterator[Any]:
            yield made

        @contextmanager
        def nobody_else(on_wait: object) -> Iterator[None]:
            yield

        monkeypatch.setattr(runner, "session", session)
        monkeypatch.setattr(management_session, "alone", nobody_else)

    return use
