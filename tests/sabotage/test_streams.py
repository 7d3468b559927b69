"""Streams of server-sent events: sound ones, and more of them than a server has threads for."""

import pytest

from benchsuite.core.results import Level
from tests.needs import needs
from tests.sabotage.runs import findings, only, told


@pytest.mark.alone
@pytest.mark.parametrize("front", ["", pytest.param("nginx", marks=needs("nginx"))])
def test_sound_streams(lab, front):
    result = lab.run(
        server="uvicorn",
        workload="sse",
        asked={"rate": 20.0, "events": 10},
        front=front,
        users=4,
        duration_s=3.0,
    )
    assert result.total is not None, told(result)
    assert (result.unit, result.total.failures) == ("event", 0), told(result)
    assert 150 <= result.total.requests <= 245
    assert result.total.response_time.percentiles[50] == pytest.approx(0.05, rel=0.3)
    accounts = result.websockets.accounts
    assert accounts.handshakes >= 20
    assert (accounts.messages, accounts.lost) == (result.total.requests, 0)
    assert accounts.duplicated == accounts.closed_early == accounts.handshakes_failed == 0
    assert not [one for number in ("B105", "B2") for one in findings(result, number)], told(result)


def test_more_streams_than_threads(lab):
    result = lab.run(
        server="gunicorn-gthread",
        workload="sse",
        processes=1,
        threads=2,
        users=4,
        duration_s=3.0,
        timeout_s=1.0,
    )
    only(result, "B210", Level.INVALID, "had no first event")
    assert findings(result, "B206"), told(result)
    assert result.total.failures == 0
