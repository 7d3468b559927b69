"""Users of several kinds at once: each kind has figures and doubts of its own."""

import pytest

from tests.sabotage.runs import Laboratory, findings, told

pytestmark = pytest.mark.alone


def test_each_population_is_told_by_itself(lab: Laboratory) -> None:
    result = lab.run(
        server="uvicorn",
        workload="mixed",
        asked={"shares": "3 url path=/well/ + 1 ws_echo path=/well/ size=64"},
        users=8,
        duration_s=2.0,
    )
    assert result.total is not None, told(result)
    pages, echoes = (one for one in result.summaries if one.scope == "population")
    assert (pages.name, echoes.name) == ("6 users of url", "2 users of ws_echo")
    assert pages.requests > 20
    assert echoes.requests > 20
    assert pages.failures == echoes.failures == 0
    assert pages.requests + echoes.requests == result.total.requests
    by_name = {(one.scope, one.name): one.requests for one in result.summaries}
    assert by_name["request", "GET /well/"] == pages.requests
    assert by_name["message", "message /well/"] == echoes.requests
    assert pages.concurrency == pytest.approx(6, rel=0.2)
    assert echoes.concurrency == pytest.approx(2, rel=0.2)
    assert not [
        one for number in ("B201", "B206", "B209", "B210") for one in findings(result, number)
    ]
