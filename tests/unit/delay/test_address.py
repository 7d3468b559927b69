"""The command line of a proxy, URLs by way of it, and its accuracy."""

import math

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.delayer import address_of_redis, delayed, moved_redis_url


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


def test_values(golden):
    golden.values()
