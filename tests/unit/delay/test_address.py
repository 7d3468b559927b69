"""The command line of a proxy, URLs by way of it, and its accuracy."""

import math

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay.delayer import address_of_redis


@pytest.mark.parametrize("delay_s", [-0.001, 60.5, math.nan, math.inf])
def test_senseless_delays(delay_s):
    with pytest.raises(UsageError, match="--delay-to-clients"):
        DelaySpec(to_clients_s=delay_s)


def test_one_that_can_not_be_reached_elsewhere_is_refused(golden):
    golden.cases(address_of_redis, refuses=UsageError)


def test_values(golden):
    golden.values()
