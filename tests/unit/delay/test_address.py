"""The command line of a proxy, URLs by way of it, and its accuracy."""

import math

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.delayer import address_of_redis, delayed


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


def test_one_that_can_not_be_reached_elsewhere_is_refused(golden):
    golden.cases(address_of_redis, refuses=UsageError)


def test_values(golden):
    golden.values()
