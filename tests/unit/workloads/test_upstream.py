"""What upstream tells the view and the API, and which answers it takes."""

import json
from typing import Any

import pytest

from benchsuite.core.exceptions import AnswerError, UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import planning, preflight
from benchsuite.services.api import Api
from benchsuite.workloads.mixed import Mixed
from benchsuite.workloads.pages import Upstream, UpstreamAsync


class Client:
    """Gives one answer, and notes what was asked."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.asked = ""

    def get(self, path: str, *, name: str = "", headers: Any = None) -> Any:
        self.asked = path
        return self

    def post(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("it only gets")

    status_code = 200
    headers: dict[str, str] = {}

    @property
    def content(self) -> bytes:
        return json.dumps(self._answer).encode()

    def json(self) -> Any:
        return self._answer


@pytest.mark.parametrize(
    ("at_once", "least_s", "query"),
    [(True, 0.3, "?calls=0.1,0.3&at_once=1"), (False, 0.4, "?calls=0.1,0.3")],
)
def test_an_answer_that_comes_too_soon_is_wrong(
    at_once: bool,  # noqa: FBT001 - a parameter of the test
    least_s: float,
    query: str,
) -> None:
    work = UpstreamAsync(calls="0.1,0.3", at_once=at_once)
    client = Client({"answers": [0.1, 0.3], "seconds": least_s})
    work.journey(client)
    assert client.asked == f"/bench/upstream_async/{query}"
    for wrong in (
        {"answers": [0.1, 0.3], "seconds": least_s - 0.01},
        {"answers": [0.1], "seconds": 1.0},
        {"answers": [0.1, 0.3]},
    ):
        with pytest.raises(AnswerError, match="expected"):
            work.journey(Client(wrong))


@pytest.mark.parametrize(
    "options", [{"calls": ""}, {"calls": "1,x"}, {"calls": "61"}, {"failures": 2}, {"stall_s": -1}]
)
def test_nonsense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        Upstream(**options)


def test_a_run_starts_the_api_and_tells_it_of_failures_and_stalls() -> None:
    options = {"failures": 0.1, "stall_s": 2}
    plan = planning.resolve(
        RunSpec(
            server=ServerSpec(server="uvicorn"),
            workload=WorkloadSpec(workload="upstream_async", options=options),
        )
    )
    assert plan.services == {"api": Api}
    assert plan.workload.services == {"api": {"failures": 0.1, "stall_at_s": 0.0, "stall_s": 2.0}}


def test_a_part_of_a_mixture_has_its_api_too() -> None:
    work = Mixed(shares="1 upstream failures=0.5 + 1 plain")
    assert work.services["api"]["failures"] == 0.5
    assert work.libraries == {"httpx": "upstream"}


def test_what_the_view_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planning.resolve(
        RunSpec(
            server=ServerSpec(server="gunicorn-gthread"),
            workload=WorkloadSpec(workload="upstream"),
        )
    )
    installed = Interpreter.installed
    monkeypatch.setattr(
        Interpreter,
        "installed",
        lambda self, name: None if name == "httpx" else installed(self, name),
    )
    with pytest.raises(
        UnavailableError, match=r"upstream needs httpx.*django-benchsuite\[upstream\]"
    ):
        preflight.check_installed(plan)
