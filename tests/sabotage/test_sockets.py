"""Runs whose WebSockets are broken, or say too little: B207, B209, B210, B215, B216 and
B303.
"""

import re

import pytest

from benchsuite.core.results import Level
from tests.needs import needs
from tests.sabotage.runs import findings, message, only, told


def sockets(lab, workload, path="/well/", **given):
    asked = {"path": path, **given.pop("asked", {})}
    return lab.run(server="uvicorn", workload=workload, asked=asked, **given)


def echo(lab, path):
    return sockets(lab, "ws_echo", path, duration_s=1.5, timeout_s=3.0)


def test_b209_one_message_of_twenty_comes_twice(lab):
    result = echo(lab, "/copying/")
    only(result, "B209", Level.INVALID, "came twice")
    assert findings(result, "B201") == [], "a copy is no failure"


def test_b210_the_server_closes_connections(lab):
    result = echo(lab, "/closing/")
    only(result, "B210", Level.INVALID, "× 1011")
    # a connection may have been ended for a message from before the window, or from after it
    accounts = result.websockets.accounts
    assert 0 <= accounts.closed_early - accounts.lost <= result.spec.load.users
    assert "websocket closed" in findings(result, "B201")[0].message


def test_b210_a_consumer_that_raises_reaches_no_limit(lab):
    result = echo(lab, "/raising/")
    told_of = message(result, "B210")
    assert "the server's error: ValueError: too many connections in this room" in told_of
    assert "asgi.py:" in told_of
    assert findings(result, "B204") == [], told(result)


@needs("nginx")
def test_b210_the_front_ends_what_is_silent(lab):
    front = {"front": "nginx", "front_options": {"timeout_s": 1}}
    result = sockets(lab, "ws_idle", asked={"steps": 1}, duration_s=3.0, **front)
    (finding,) = findings(result, "B210")
    assert "× 1006" in finding.message
    assert "--front-option timeout_s=" in (finding.hint or ""), told(result)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/members/", "tests.sabotage.sick.rooms.Members refuses it"),
        ("/elsewhere/", "OriginValidator refuses the Origin 'http://127.0.0.1:"),
    ],
)
def test_a_refused_handshake_says_who_refuses_it(lab, path, words):
    result = echo(lab, path)
    assert "answered with status 403" in result.failure
    assert words in result.failure


def test_b207_a_layer_leaves_messages_out(lab):
    result = echo(lab, "/crowded/")
    assert result.websockets.accounts.lost == 0
    assert "dropped messages" in message(result, "B207"), told(result)
    left_out = int(re.sub(r"\D", "", message(result, "B207").partition(" time")[0]))
    assert left_out >= result.websockets.accounts.messages


@pytest.mark.alone
def test_b207_a_layer_in_memory_behind_two_instances(lab):
    result = lab.run(
        server="gunicorn-uvicorn",
        options={"reuse_port": True},  # each process takes its share of the connections
        workload="ws_broadcast",
        asked={"path": "/room/"},
        processes=2,
        users=24,
        duration_s=1.5,
        timeout_s=1.0,
    )
    only(result, "B207", Level.INVALID, "each of the 2 processes")


@pytest.mark.alone
def test_b215_a_consumer_keeps_8_kib_of_each_connection(lab):
    result = sockets(lab, "ws_connect", "/keeping/", duration_s=9.0)
    assert findings(result, "B215"), told(result)
    closed = result.websockets.closed
    assert closed.each_bytes == pytest.approx(8192, rel=0.2)


@pytest.mark.alone
def test_connections_that_leave_nothing_behind(lab):
    result = sockets(lab, "ws_connect", "/well/", duration_s=9.0)
    assert result.websockets.closed is not None, told(result)
    assert findings(result, "B215") == [], told(result)


def test_memory_that_was_read_too_seldom_is_not_taken_for_sound(lab):
    result = sockets(lab, "ws_connect", "/well/", duration_s=1.0)
    assert "whether closed connections leave memory behind (B215)" in message(result, "B405")


def storm(lab, path):
    return sockets(lab, "ws_reconnect", path, duration_s=4.0)


def test_b216_a_server_that_lets_nobody_in_again(lab):
    result = storm(lab, "/closed-shop/")
    assert "4 of 4 connections that were cut never came back" in message(result, "B216")
    assert result.websockets.recovery.failed > 4
    assert result.websockets.recovery.all_back_s is None


@pytest.mark.alone
def test_a_storm_that_a_server_weathers(lab):
    result = storm(lab, "/well/")
    found = result.websockets.recovery
    assert (found.cut, found.back, found.failed) == (4, 4, 0), told(result)
    assert 0 < found.all_back_s < 1
    assert not [one for number in ("B2", "B301", "B303") for one in findings(result, number)]


@pytest.mark.alone
def test_b303_the_server_takes_much_memory_once(lab):
    load = {"users": 40, "stages": (10.0, 20.0, 30.0, 40.0), "warmup_s": 0.5, "duration_s": 1.5}
    result = sockets(lab, "ws_idle", "/hoarding/", **load)
    assert [one.level for one in findings(result, "B303")] == [Level.INVALID], told(result)


def test_b303_two_steps_show_no_slope(lab):
    load = {"users": 4, "stages": (2.0, 4.0), "warmup_s": 0.3, "duration_s": 1.2}
    result = sockets(lab, "ws_idle", **load)
    assert "needs at least 3" in findings(result, "B303")[0].message, told(result)


@pytest.mark.alone
def test_idle_connections_that_take_alike(lab):
    stages = tuple(300.0 * step for step in range(1, 9))
    result = sockets(lab, "ws_idle", users=2400, stages=stages, warmup_s=0.5, duration_s=1.2)
    assert not findings(result, "B303"), told(result)


@pytest.mark.alone
def test_nothing_is_found_of_sound_websockets(lab):
    result = echo(lab, "/well/")
    assert result.total is not None, told(result)
    assert not [one for number in ("B2", "B303") for one in findings(result, number)], told(result)
