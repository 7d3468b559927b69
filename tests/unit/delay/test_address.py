"""The command line of a proxy, URLs by way of it, and its accuracy."""

import math

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.accuracy import MESSAGES, accuracy
from benchsuite.delay.delayer import LISTENING, address_of_redis, command, delayed, moved_redis_url
from benchsuite.stats.summary import samples_needed


@pytest.mark.parametrize(
    ("direction", "option"), [("to_server", "--to-server"), ("to_client", "--to-client")]
)
def test_command(direction, option):
    words = command(
        ("127.0.0.1", 5432),
        delay_s=0.1,
        direction=direction,  # type: ignore[arg-type]
        listen=("127.0.0.1", 0),
    )
    assert words[-7:-1] == [option, "0.1", "--listen", "127.0.0.1:0", "--loop", "auto"]
    assert words[-1] == "127.0.0.1:5432"
    assert words[1] == "-I", "the project's environment could change it"


def test_small_delays_are_not_rounded_away():
    words = command(("h", 1), delay_s=0.000123456, direction="to_server", listen=("127.0.0.1", 0))
    assert float(words[words.index("--to-server") + 1]) == pytest.approx(0.000123456, rel=1e-5)


def test_what_it_says_when_it_listens():
    said = LISTENING.search("a warning\nlistening on 127.0.0.1:40123 with uvloop 0.22.1\n")
    assert said is not None
    assert (said["host"], said["port"], said["loop"]) == ("127.0.0.1", "40123", "uvloop 0.22.1")
    assert LISTENING.search("listening on 127.0.0.1:401") is None, "a line that is being written"


@pytest.mark.parametrize("delay_s", [-0.001, 60.5, math.nan, math.inf])
def test_senseless_delays(delay_s, tmp_path):
    with (
        pytest.raises(UsageError, match="A delay must be from 0 to 60 s"),
        delayed(
            ("127.0.0.1", 1),
            delay_s=delay_s,
            direction="to_server",
            name="proxy",
            folder=tmp_path,
            marker="a-marker",
            env={},
        ),
    ):
        pytest.fail("it was accepted")


@pytest.mark.parametrize(
    ("url", "place", "by_way_of", "then"),
    [
        (
            "redis://:s%40cret@127.0.0.1:7001/0",
            ("127.0.0.1", 7001),
            ("127.0.0.1", 9),
            "redis://:s%40cret@127.0.0.1:9/0",
        ),
        ("redis://far", ("far", 6379), ("127.0.0.1", 9), "redis://127.0.0.1:9"),
        ("redis://[::1]:7/3?a=b", ("::1", 7), ("127.0.0.1", 9), "redis://127.0.0.1:9/3?a=b"),
        (
            "unix:///run/its%20own/redis.sock?password=x%26y&db=1",
            ("/run/its own/redis.sock", 0),
            ("/tmp/100%/late.sock", 0),
            "unix:///tmp/100%25/late.sock?password=x%26y&db=1",
        ),
        ("unix://eve@/redis.sock", ("/redis.sock", 0), ("/l.sock", 0), "unix://eve@/l.sock"),
    ],
)
def test_a_redis_is_reached_elsewhere(url, place, by_way_of, then):
    assert address_of_redis(url) == place
    assert moved_redis_url(url, by_way_of) == then
    assert address_of_redis(then) == by_way_of


def test_one_that_can_not_be_reached_elsewhere_is_refused(golden):
    golden.cases(address_of_redis, refuses=UsageError)


def test_errors_are_what_is_more_than_the_delay():
    times = [0.1 + number * 1e-5 for number in range(400, 0, -1)]
    found = accuracy(times, 0.1)
    assert found.messages == 400
    assert found.median_error_s == pytest.approx(200.5e-5)
    assert found.p99_error_s == pytest.approx(396e-5)
    assert found.worst_error_s == pytest.approx(400e-5)
    assert found.ceiling_per_s is None


def test_ceiling_is_what_a_whole_cpu_would_do():
    assert accuracy([0.1] * 400, 0.1, cpu_s=0.04).ceiling_per_s == pytest.approx(10_000)


def test_no_cpu_time_that_could_be_seen_gives_no_ceiling():
    assert accuracy([0.1] * 400, 0.1, cpu_s=0.0).ceiling_per_s is None


def test_too_early_is_negative():
    assert accuracy([0.09] * 3, 0.1).median_error_s == pytest.approx(-0.01)


def test_enough_messages_for_the_percentile():
    assert samples_needed(99) <= MESSAGES <= 500


def test_to_json_is_plain():
    data = accuracy([0.1], 0.1).to_json()
    assert data["messages"] == 1
    assert all(one is None or isinstance(one, int | float) for one in data.values())
