"""From samples to figures, on samples few enough to count on one's fingers."""

import numpy as np
import pytest

from benchsuite.core.results import Interval, Phase, Summary
from benchsuite.core.samples import Kind
from benchsuite.stats.summary import (
    DTYPE,
    Samples,
    concurrency,
    distribution,
    intervals,
    summarise,
)

ORIGIN = 1000.0
WINDOW = (1002.0, 1012.0)


def sample(
    intended: float,
    finish: float,
    *,
    start: float | None = None,
    kind: Kind = Kind.OK,
    size: int = 100,
) -> tuple[object, ...]:
    """One request; times in seconds since the origin."""
    sent = intended if start is None else start
    return (0, int(kind), 0, 1, size, ORIGIN + intended, ORIGIN + sent, ORIGIN + finish)


def samples(*rows: tuple[object, ...]) -> Samples:
    return np.array(list(rows), dtype=DTYPE)


def summary(*rows: tuple[object, ...], **options: object) -> Summary:
    return summarise(samples(*rows), name="GET /", scope="request", window=WINDOW, **options)  # type: ignore[arg-type]


def seconds(*rows: tuple[object, ...], **options: object) -> list[Interval]:
    return list(intervals(samples(*rows), origin=ORIGIN, window=WINDOW, **options))  # type: ignore[arg-type]


class TestWindow:
    def test_a_request_belongs_to_the_window_in_which_it_was_meant_to_start(self):
        figures = summary(
            sample(1.999, 2.5),  # warm-up
            sample(2.0, 2.1),
            sample(11.999, 12.5),  # meant in the window, answered after it
            sample(12.0, 12.1),  # after it
        )
        assert figures.requests == 2
        assert figures.response_time.count == 2
        assert figures.response_time.max_s == pytest.approx(0.501)

    def test_throughput_counts_what_finished_in_it(self):
        figures = summary(
            sample(1.5, 2.5),
            sample(3.0, 4.0),
            sample(3.0, 4.0, kind=Kind.HTTP_STATUS),
            sample(11.5, 12.5),
        )
        assert figures.throughput == pytest.approx(3 / 10)
        assert figures.goodput == pytest.approx(2 / 10)

    def test_what_never_finished_is_a_failure_and_no_completion(self):
        figures = summary(sample(3.0, 11.0, kind=Kind.UNFINISHED))
        assert (figures.requests, figures.failures, figures.throughput) == (1, 1, 0)
        assert figures.response_time.count == 0

    def test_without_samples_times_are_missing_and_not_zero(self):
        figures = summary()
        assert (figures.requests, figures.failures, figures.goodput) == (0, 0, 0)
        assert figures.response_time.mean_s is None
        assert figures.response_time.at(50) is None
        assert figures.response_time.histogram == ""


class TestTimes:
    def test_waiting_counts_in_the_response_time_alone(self):
        figures = summary(sample(3.0, 4.0, start=3.75))
        assert figures.response_time.mean_s == pytest.approx(1.0)
        assert figures.service_time.mean_s == pytest.approx(0.25)

    def test_a_failure_enters_no_distribution(self):
        figures = summary(
            sample(3.0, 3.1), sample(4.0, 4.001, kind=Kind.RESET), sample(5.0, 8.0, kind=Kind.OTHER)
        )
        assert figures.response_time.count == 1
        assert figures.response_time.min_s == pytest.approx(0.1)
        assert figures.response_time.max_s == pytest.approx(0.1)

    def test_failures_are_counted_by_kind_with_one_message_each(self):
        figures = summary(
            sample(3.0, 3.1, kind=Kind.HTTP_STATUS),
            sample(3.0, 3.1, kind=Kind.HTTP_STATUS),
            sample(4.0, 4.1, kind=Kind.READ_TIMEOUT),
            sample(5.0, 5.1),
            sample(1.0, 1.1, kind=Kind.WRONG_BODY),  # warm-up
            examples={
                Kind.HTTP_STATUS: "expected 200, and got 500",
                Kind.WRONG_BODY: "not of the window",
            },
        )
        assert figures.failures == 3
        assert figures.failures_by_kind == {"http status": 2, "read timeout": 1}
        assert figures.failure_examples == {"http status": "expected 200, and got 500"}

    def test_bytes_are_those_of_right_answers(self):
        figures = summary(sample(3, 4, size=7), sample(3, 4, size=900, kind=Kind.WRONG_BODY))
        assert figures.body_bytes == 7


class TestDistribution:
    def test_percentiles_that_the_sample_cannot_carry_are_missing(self):
        assert set(distribution(np.full(71, 0.1)).percentiles) == {10, 50, 75, 90}
        assert set(distribution(np.full(72, 0.1)).percentiles) == {10, 50, 75, 90, 95}
        assert set(distribution(np.full(5, 0.1)).percentiles) == set()
        assert 99.9 in distribution(np.full(3688, 0.1)).percentiles

    def test_no_percentile_is_above_the_largest_sample(self):
        found = distribution(np.full(5000, 0.152))
        assert found.max_s is not None
        assert max(found.percentiles.values()) <= found.max_s


class TestConcurrency:
    def test_is_the_mean_number_of_requests_in_flight(self):
        always_two = samples(sample(0, 20), sample(0, 20))
        assert concurrency(always_two, window=WINDOW) == pytest.approx(2.0)

    def test_only_the_overlap_with_the_window_counts(self):
        found = concurrency(
            samples(sample(0, 3), sample(11, 20), sample(0, 1), sample(13, 14)), window=WINDOW
        )
        assert found == pytest.approx(0.2)

    def test_waiting_to_be_sent_is_not_in_flight(self):
        assert concurrency(samples(sample(2, 12, start=7)), window=WINDOW) == pytest.approx(0.5)


class TestIntervals:
    def test_every_second_is_there_with_its_phase(self):
        found = seconds(sample(0.1, 0.2), sample(11.0, 13.4))
        assert [one.second for one in found] == list(range(14))
        assert [one.phase for one in found] == (
            [Phase.WARM_UP] * 2 + [Phase.WINDOW] * 10 + [Phase.DRAIN] * 2
        )

    def test_a_request_counts_in_the_second_of_its_finish(self):
        found = seconds(sample(0.5, 2.999), sample(0.5, 3.0), sample(2, 3.5, kind=Kind.RESET))
        assert [(one.successes, one.failures) for one in found[2:5]] == [(1, 0), (1, 1), (0, 0)]

    def test_all_samples_are_in_exactly_one(self):
        finishes = np.random.default_rng(3).uniform(0, 14, 500)
        found = seconds(*(sample(0, finish) for finish in finishes))
        assert sum(one.successes for one in found) == 500

    def test_an_empty_second_has_no_times(self):
        empty = seconds(sample(0.1, 0.2), sample(5.0, 5.1))[3]
        assert (empty.successes, empty.p50_s, empty.histogram) == (0, None, "")

    def test_a_second_with_too_few_answers_has_no_p99(self):
        found = seconds(*(sample(2, 2.5) for _ in range(100)))[2]
        assert found.p50_s == pytest.approx(0.5, rel=0.001)
        assert found.p95_s == pytest.approx(0.5, rel=0.001)
        assert found.p99_s is None

    def test_users_are_those_of_the_end_of_the_second(self):
        users = [(ORIGIN + 0.5, 10), (ORIGIN + 1.0, 20), (ORIGIN + 3.2, 30)]
        found = seconds(sample(0, 4.5), users=users)
        assert [one.users for one in found[:5]] == [10, 20, 20, 30, 30]
        assert seconds(sample(0, 1))[0].users is None

    def test_a_rounding_error_of_the_window_adds_no_second(self):
        rows = samples(sample(0, 11.5))
        window = (WINDOW[0], WINDOW[1] + 1e-7)
        assert len(list(intervals(rows, origin=ORIGIN, window=window))) == 12

    def test_no_samples_make_no_intervals(self):
        assert seconds() == []


def test_values(golden):
    golden.values()
