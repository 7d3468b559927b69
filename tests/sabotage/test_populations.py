"""Users of several kinds at once: each kind has figures and doubts of its own."""

import pytest

from tests.sabotage.runs import findings, told

pytestmark = pytest.mark.alone


def test_each_population_is_told_by_itself(lab):
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
    # a load that waits for a CPU has fewer in flight, and never more than users
    assert 4 < (pages.concurrency or 0.0) < 6.1
    assert 1 < (echoes.concurrency or 0.0) < 2.1
    assert not [
        one for number in ("B201", "B206", "B209", "B210") for one in findings(result, number)
    ]


def test_a_page_slower_than_an_echo_is_no_stall(lab):
    shares = "6 url path=/slow/?ms=40 + 2 ws_echo path=/well/ size=64"
    result = lab.run(
        server="uvicorn", workload="mixed", asked={"shares": shares}, users=8, think_time_s=0.1
    )
    pages, echoes = (one for one in result.summaries if one.scope == "population")
    apart_s = (pages.service_time.min_s or 0.0) - (echoes.service_time.min_s or 0.0)
    assert 0.03 < apart_s < 0.05, told(result)
    assert not findings(result, "B205"), told(result)
