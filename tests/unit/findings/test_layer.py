"""B207: what a channel layer left out, gave up, or kept from other processes."""

import pytest

from benchsuite.core.results import Level
from tests.unit.findings.clean import found
from tests.unit.findings.test_sockets import accounts


def test_messages_left_out() -> None:
    finding = found(left_out=1)["B207"]
    assert finding.level is Level.WEAK
    assert "dropped messages 1 time because channels were over capacity" in finding.message
    assert "B207" not in found(left_out=0)


def test_a_layer_without_a_connection_left() -> None:
    said = "MaxConnectionsError: Too many connections (connection.py:2843)"
    finding = found(socket_errors=[said])["B207"]
    assert finding.level is Level.WEAK
    assert f"no connection to Redis left ({said})" in finding.message
    assert "max_connections" in finding.hint


def test_redis_that_did_not_answer_in_time() -> None:
    errors = ["KeyError: 'x'", "TimeoutError: Timeout reading from 127.0.0.1:6379 (core.py:9)"]
    finding = found(socket_errors=errors)["B207"]
    assert finding.level is Level.WEAK
    assert "(TimeoutError: Timeout reading from 127.0.0.1:6379 (core.py:9))" in finding.message
    assert "B207" not in found(socket_errors=errors[:1])


@pytest.mark.parametrize(("lost", "level"), [(0, Level.INFO), (3, Level.INVALID)])
def test_a_layer_in_memory_of_several_processes(lost: int, level: Level) -> None:
    finding = found(layers_apart=4, accounts=accounts(lost=lost))["B207"]
    assert finding.level is level
    assert "each of the 4 processes" in finding.message
    assert ("3 messages were lost" in finding.message) is bool(lost)


def test_one_process_or_no_websockets_have_nothing_to_join() -> None:
    assert "B207" not in found(layers_apart=1, accounts=accounts())
    assert "B207" not in found(layers_apart=4)
