"""The runs of one command, whatever ends it: made by a stub, stored for real."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from rich.console import Console

from benchsuite.management import batch
from benchsuite.models import Run
from benchsuite.report.progress import Progress
from benchsuite.results import RunResult
from benchsuite.specs import RunSpec, ServerSpec

pytestmark = pytest.mark.django_db

SPEC = RunSpec(server=ServerSpec(server="uvicorn"))


class AtWork:
    """A session whose runs end as told: with a result, or by raising."""

    def __init__(self, *ends: RunResult | BaseException) -> None:
        self.ends = list(ends)

    def run(self, spec: RunSpec, watcher: Any) -> RunResult:
        end = self.ends.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes runs which end as told."""

    @contextmanager
    def nobody_else(on_wait: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(batch, "alone", nobody_else)

    def made(*ends: RunResult | BaseException) -> list[Run]:
        @contextmanager
        def session(**given: object) -> Iterator[AtWork]:
            yield AtWork(*ends)

        monkeypatch.setattr(batch, "session", session)
        progress = Progress(Console(quiet=True), len(ends))
        return batch.make([SPEC] * len(ends), progress, port=None, on_wait=print, on_build=print)

    return made


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (KeyboardInterrupt(), "it was interrupted."),
        (RuntimeError("no memory left"), "no memory left"),
        (SystemExit(3), "3"),
    ],
)
def test_whatever_ends_the_command_leaves_no_row_running(
    make: Any, end: BaseException, said: str
) -> None:
    """The process lives on, as in a notebook: nothing else would say that the run is over."""
    with pytest.raises(type(end)):
        make(end)
    run = Run.objects.get()
    assert (run.status, run.owner) == ("interrupted", "")
    assert run.failure == f"The command ended before its run had: {said}"
