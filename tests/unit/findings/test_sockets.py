"""B209, B210 and B216: messages astray, connections that ended, and those that stay away."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.observations import HostShares
from benchsuite.core.results import Accounts, IdleMemory, Level, Recovery
from tests.unit.findings.clean import found, summary


def accounts(**changes: Any) -> Accounts:
    clean = Accounts(
        messages=1000,
        lost=0,
        duplicated=0,
        reordered=0,
        corrupt=0,
        misdirected=0,
        handshakes=100,
        handshakes_failed=0,
        closings_failed=0,
        closed_early=0,
    )
    return replace(clean, **changes)


def test_a_run_that_kept_everything_is_clean() -> None:
    memory = idle(28_000.0, 27_500.0, 28_500.0)
    assert not found(unit="message", accounts=accounts(), idle=memory)


@pytest.mark.parametrize(
    ("counts", "level", "words"),
    [
        ({"duplicated": 1}, Level.WEAK, "Of 1 000 messages, 1 came twice."),
        ({"reordered": 10}, Level.WEAK, "10 came out of order"),
        ({"corrupt": 11}, Level.INVALID, "11 came damaged"),
        (
            {"misdirected": 8, "duplicated": 8},
            Level.INVALID,
            "8 came twice, 8 came to another connection",
        ),
    ],
)
def test_messages_astray(counts: dict[str, int], level: Level, words: str) -> None:
    (finding,) = found(accounts=accounts(**counts)).values()
    assert finding.code == "B209 messages-astray"
    assert finding.level is level
    assert words in finding.message.replace("\u2009", " ")


@pytest.mark.parametrize(
    ("counts", "level", "words"),
    [
        (
            {"closed_early": 3, "closes": {1011: 2, 1006: 1}},
            Level.WEAK,
            "Of 100 connections, 3 were ended by the server (2 × 1011, 1 × 1006).",
        ),
        ({"handshakes_failed": 6}, Level.INVALID, "6 handshakes failed"),
        ({"closings_failed": 1}, Level.WEAK, "1 closing handshakes were not answered"),
        (
            {"broken": 2},
            Level.WEAK,
            "2 were ended by the load because the server broke",
        ),
    ],
)
def test_connections_ended(counts: dict[str, Any], level: Level, words: str) -> None:
    (finding,) = found(accounts=accounts(**counts)).values()
    assert finding.code == "B210 connections-ended"
    assert finding.level is level
    assert words in finding.message


@pytest.mark.parametrize(
    ("silence_s", "timeout_s", "hint"),
    [
        (None, 60.0, "1009 is a message that was too big"),
        (59.9, 60.0, "the front ends what is silent for 60 s"),
        (61.0, 60.0, "the front ends what is silent for 60 s"),
        (5.0, 60.0, "silent for 5.00 s: a time-out of the server or layer"),
        (5.0, None, "silent for 5.00 s: a time-out of the server or layer"),
    ],
)
def test_a_time_out_of_the_front_is_named(
    silence_s: float | None, timeout_s: float | None, hint: str
) -> None:
    cut = accounts(closed_early=3, closes={1006: 3}, silence_s=silence_s)
    (finding,) = found(accounts=cut, front_timeout_s=timeout_s).values()
    assert hint in (finding.hint or "").replace("\u2009", " ")


def test_what_a_consumer_raised_is_told() -> None:
    errors = ["ValueError: boom (chat.py:12)"]
    finding = found(accounts=accounts(closed_early=1), socket_errors=errors)["B210"]
    assert finding.message.endswith("; the server's error: ValueError: boom (chat.py:12).")


def test_connections_that_never_came_back() -> None:
    finding = found(recovery=Recovery(cut=10, back=8, failed=31))["B216"]
    assert finding.level is Level.WEAK
    assert "2 of 10 connections that were cut never came back; 31" in finding.message
    assert not found(recovery=Recovery(cut=10, back=10, failed=3))


def test_idle_connections_need_no_samples() -> None:
    no_times = replace(summary().response_time, count=0)
    nothing = replace(summary(), requests=0, response_time=no_times)
    assert "B302" not in found(total=nothing, idle=idle(28_000.0, 27_500.0, 28_500.0))
    assert "B302" in found(total=nothing)


def test_a_busy_machine_makes_memory_weak_at_most() -> None:
    busy = HostShares(others_percent=60.0)
    memory = idle(28_000.0, 27_500.0, 28_500.0)
    assert found(host=busy)["B401"].level is Level.INVALID
    assert found(host=busy, idle=memory)["B401"].level is Level.WEAK


def test_failures_are_told_in_their_unit() -> None:
    failing = summary(failures=100, failures_by_kind={"websocket closed": 100})
    (finding,) = found(unit="message", total=failing).values()
    assert (
        finding.message.replace("\u2009", " ")
        == "10.0 % of the messages failed (100 × websocket closed)."
    )


def test_streams_of_events_are_told_in_their_own_words() -> None:
    (finding,) = found(unit="event", accounts=accounts(duplicated=1)).values()
    assert finding.message.replace("\u2009", " ") == "Of 1 000 events, 1 came twice."
    (finding,) = found(
        unit="event", accounts=accounts(closed_early=2, handshakes_failed=3)
    ).values()
    assert finding.message == (
        "Of 100 connections, 2 were ended by the server, 3 had no first event."
    )
    assert "threads" in finding.hint


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


MIB = 2**20


def idle(each: float | None, low: float | None = None, high: float | None = None) -> IdleMemory:
    return IdleMemory(steps=((100, 1), (200, 2)), each_bytes=each, low_bytes=low, high_bytes=high)


def test_what_closed_connections_leave_behind() -> None:
    finding = found(closed=idle(4_300.0, 4_000.0, 4_600.0))["B215"]
    assert finding.level is Level.WEAK
    assert "closed connections left 4.20 KiB behind" in finding.message.replace("\u2009", " ")
    assert not found(closed=idle(1_200.0, 1_000.0, 1_400.0))
    assert not found(closed=idle(None))


def leak(bytes_per_s: int, begin: int = 80 * MIB) -> list[tuple[float, int]]:
    return [(second, begin + bytes_per_s * second) for second in range(10)]


def test_memory_that_grows_in_a_short_window() -> None:
    finding = found(memory=leak(2_000_000))["B217"]
    assert finding.level is Level.WEAK
    words = finding.message.replace("\u2009", " ")
    assert "grew by 1.91 MiB a second (at least 1.58 MiB) from 80.0 MiB" in words


@pytest.mark.parametrize("memory", [[], leak(0), leak(300_000), leak(2_000_000, 600 * MIB)])
def test_memory_that_hardly_grows_weighs_nothing(memory: list[tuple[float, int]]) -> None:
    assert not found(memory=memory)


@pytest.mark.parametrize(
    ("memory", "level", "words"),
    [
        (idle(28_000.0, 25_000.0, 31_000.0), Level.WEAK, "10.7 % to either side"),
        (idle(28_000.0, 8_000.0, 48_000.0), Level.INVALID, "71.4 % to either side"),
        (idle(None), Level.INVALID, "at 2 numbers of connections; a slope needs at least 3."),
        (idle(0.0, -10.0, 10.0), Level.INVALID, "to either side"),
    ],
)
def test_memory_that_cant_be_told(memory: IdleMemory, level: Level, words: str) -> None:
    (finding,) = found(idle=memory).values()
    assert finding.code == "B303 unsure-slope"
    assert finding.level is level
    assert words in finding.message.replace("\u2009", " ")
