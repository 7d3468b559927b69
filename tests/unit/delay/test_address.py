"""The command line of a proxy, and URLs by way of it."""

from benchsuite.core.exceptions import UsageError
from benchsuite.delay.delayer import address_of_redis


def test_one_that_can_not_be_reached_elsewhere_is_refused(golden):
    golden.cases(address_of_redis, refuses=UsageError)


def test_values(golden):
    golden.values()
