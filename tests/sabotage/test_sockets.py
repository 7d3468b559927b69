"""Runs whose WebSockets are broken, or say too little: B209, B210 and B303."""

import pytest

from benchsuite.results import Level, RunResult
from tests.sabotage.runs import Laboratory, findings, told

pytestmark = pytest.mark.alone


def echo(lab: Laboratory, path: str) -> RunResult:
    return lab.run(
        server="uvicorn", workload="ws_echo", asked={"path": path}, duration_s=1.5, timeout_s=3.0
    )


def test_b209_one_message_of_twenty_comes_twice(lab: Laboratory) -> None:
    result = echo(lab, "/copying/")
    assert [one.level for one in findings(result, "B209")] == [Level.INVALID], told(result)
    assert "came twice" in findings(result, "B209")[0].message
    assert findings(result, "B201") == [], "a copy is no failure"


def test_b210_the_server_closes_connections(lab: Laboratory) -> None:
    result = echo(lab, "/closing/")
    (finding,) = findings(result, "B210")
    assert finding.level is Level.INVALID, told(result)
    assert "× 1011" in finding.message
    assert result.websockets is not None
    assert result.websockets.accounts.closed_early == result.websockets.accounts.lost
    assert "websocket closed" in findings(result, "B201")[0].message


def test_b303_the_server_takes_much_memory_once(lab: Laboratory) -> None:
    result = lab.run(
        server="uvicorn",
        workload="ws_idle",
        asked={"path": "/hoarding/"},
        users=40,
        stages=(10.0, 20.0, 30.0, 40.0),
        warmup_s=0.5,
        duration_s=1.5,
    )
    assert [one.level for one in findings(result, "B303")] == [Level.INVALID], told(result)


def test_b303_two_steps_show_no_slope(lab: Laboratory) -> None:
    result = lab.run(
        server="uvicorn",
        workload="ws_idle",
        asked={"path": "/well/"},
        users=4,
        stages=(2.0, 4.0),
        warmup_s=0.3,
        duration_s=1.2,
    )
    assert "3 are the least" in findings(result, "B303")[0].message, told(result)


def test_nothing_is_found_of_sound_websockets(lab: Laboratory) -> None:
    result = echo(lab, "/well/")
    assert result.total is not None, told(result)
    assert not [one for number in ("B2", "B303") for one in findings(result, number)], told(result)
