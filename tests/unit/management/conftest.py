"""Commands that make runs, without a machine that makes them."""

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import pytest

from benchsuite import runner
from benchsuite.management import session as management_session


@pytest.fixture
def run_by(monkeypatch):
    """A function that is told what makes the runs."""

    def use(made):
        session = SimpleNamespace(opened=lambda: nullcontext(made))

        @contextmanager
        def nobody_else(on_wait):
            yield

        monkeypatch.setattr(runner, "Session", lambda **given: session)
        monkeypatch.setattr(management_session, "alone", nobody_else)

    return use
