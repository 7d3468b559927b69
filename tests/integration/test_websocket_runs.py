"""`runbench` with WebSockets, as people use it: every server, and every workload."""

import json
from functools import partial

import pytest

from benchsuite import conf
from benchsuite.servers import BUILTIN
from tests.integration import command as commands
from tests.needs import audited

SERVERS = [
    name
    for name in BUILTIN
    if conf.server_class(name).websocket
    and conf.server_class(name).interface == "asgi"
    and not name.startswith("circus-")
    and conf.server_class(name).available().ok
]

SHORT = ("--warmup=0.3", "--duration=1")

KEPT = ("lost", "duplicated", "reordered", "corrupt", "misdirected", "closed_early")
measured = partial(commands.measured, how=SHORT)


@pytest.mark.audit
def test_every_server_echoes_every_message(command):
    words = (f"--server={','.join(SERVERS)}", "--connections=5", "--messages=5")
    ended = command.run("runbench", "--json=-", "--workload=ws_echo", *SHORT, *words, status=0)
    made = json.loads(ended.out)
    assert sorted(one["server"] for one in made) == sorted(SERVERS)
    for one in made:
        told = one["server"], one["failures_by_kind"], one["findings"]
        assert (one["unit"], one["users"], one["failures"]) == ("message", 5, 0), told
        assert one["goodput"] > 20, told
        accounts = one["websockets"]["accounts"]
        assert {name: accounts[name] for name in KEPT} == dict.fromkeys(KEPT, 0), told
        assert accounts["messages"] == one["requests"], told
        assert accounts["handshakes"] >= 5, told
        assert accounts["handshakes_failed"] == accounts["closings_failed"] == 0, told
        assert one["websockets"]["rate_connected"] > one["goodput"], told
        assert one["handshake_time"]["p50_s"] > 0, told
        assert not [found for found in one["findings"] if found["code"][:2] == "B2"], told


@pytest.mark.parametrize(
    "option", audited(["layer=1", "sync=1", "binary=1", "size=70000"], "size=70000")
)
def test_echoes_of_every_kind(command, option):
    line = f"--server=daphne --workload=ws_echo --connections=3 --workload-option={option}"
    one = measured(command, line, *["--layer=memory"] * (option == "layer=1"))
    assert one["failures"] == one["websockets"]["accounts"]["lost"] == 0
    assert one["requests"] > 10


def test_what_is_offered_with_the_handshake_is_negotiated_and_stored(command):
    one = measured(
        command,
        "--server=uvicorn --workload=ws_echo --connections=3 --workload-option=deflate=1 "
        "--workload-option=subprotocol=chat,benchsuite --workload-option=size=2000",
    )
    assert one["failures"] == one["websockets"]["accounts"]["lost"] == 0
    told = one["websockets"]["compression"]
    ((answer, handshakes),) = told["negotiated"].items()
    assert answer.startswith("permessage-deflate")
    assert handshakes == one["websockets"]["accounts"]["handshakes"] == 3


def test_a_connection_for_each_message(command):
    words = "--server=uvicorn --workload=ws_echo --connections=3 --no-keep-alive"
    one = measured(command, words)
    accounts = one["websockets"]["accounts"]
    assert one["failures"] == 0
    assert accounts["handshakes"] >= accounts["messages"] > 20


def test_messages_at_a_rate_by_two_load_processes(command):
    words = "--server=uvicorn --workload=ws_echo --connections=10 --rate=100 --load-processes=2"
    one = measured(command, words)
    assert one["offered_rate"] == pytest.approx(100)
    assert (one["dropped"], one["failures"]) == (0, 0)
    assert one["websockets"]["connections"] == 10
    assert one["websockets"]["accounts"]["handshakes"] == 10


def test_a_storm_of_connections(command):
    one = measured(command, "--server=uvicorn --workload=ws_connect --connections=5")
    assert (one["unit"], one["failures"]) == ("handshake", 0)
    assert one["goodput"] > 20
    assert one["response_time"]["p50_s"] == pytest.approx(one["handshake_time"]["p50_s"])


def test_a_broadcast_reaches_everybody(command):
    words = "--server=uvicorn --layer=memory --workload=ws_broadcast --connections=8"
    one = measured(command, words, "--rate=20", "--duration=2")
    accounts = one["websockets"]["accounts"]
    assert {name: accounts[name] for name in KEPT} == dict.fromkeys(KEPT, 0)
    assert accounts["messages"] == one["requests"] == 2 * 20 * 8
    assert one["fan_out_time"]["max_s"] >= one["response_time"]["max_s"] * 0.999


@pytest.mark.alone
def test_idle_connections_cost_memory(command):
    words = "--server=uvicorn --processes=4 --workload=ws_idle --stages=50:100:150:200"
    one = measured(command, words, "--duration=2.5", "--warmup=0.7")
    idle = one["websockets"]["idle"]
    assert [many for many, _ in idle["steps"]] == [50, 100, 150, 200]
    assert idle["before_bytes"] > 5_000_000
    assert 1_000 < one["connection_bytes"] < 200_000
    assert idle["low_bytes"] <= one["connection_bytes"] <= idle["high_bytes"]
    assert one["websockets"]["accounts"]["closed_early"] == 0
    assert not [found for found in one["findings"] if found["code"].startswith("B302")]


def test_pings_are_messages(command):
    words = "--server=daphne --workload=ws_idle --stages=5:10:15 --workload-option=ping_s=0.1"
    one = measured(command, words, "--duration=1.2", "--warmup=0.3")
    assert one["failures"] == 0
    assert one["requests"] > 50
    assert one["response_time"]["p50_s"] > 0
