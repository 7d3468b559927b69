"""Where a Redis is, and its URL by way of something else."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.delayer import address_of_redis, moved_redis_url


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


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis+sentinel://one:26379/mymaster/0", "the Sentinels of --layer-url name another"),
        ("rediss://far:6380/0", "the certificate of a Redis by TLS does not hold"),
        ("redis://far:70000/0", "--layer-url has a wrong port"),
    ],
)
def test_one_that_can_not_be_reached_elsewhere_is_refused(url, words):
    with pytest.raises(UsageError, match=words):
        address_of_redis(url)
