"""Numbers as people read them, and times as they write them."""

import pytest

from benchsuite.core import units
from benchsuite.core.exceptions import UsageError


def plain(text: str) -> str:
    """With thin spaces as underscores, so that a failing test can be read."""
    return text.replace(units.THIN_SPACE, "_")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (0, "0"),
        (0.0000001234, "0.000000123"),
        (0.1, "0.1"),
        (0.12345, "0.123"),
        (0.99949, "0.999"),
        (0.9995, "1.00"),
        (4.276, "4.28"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.94, "99.9"),
        (99.96, "100"),
        (612.4, "612"),
        (999.4, "999"),
        (999.6, "1_000"),
        (12_345, "12_300"),
        (99_960, "100_000"),
        (1_234_567, "1_230_000"),
        (-5.5, "-5.50"),
    ],
)
def test_three_significant_digits(value: float | None, text: str) -> None:
    assert plain(units.format_number(value)) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "—"), (0, "0"), (999, "999"), (1_234_567, "1_234_567")]
)
def test_a_count_keeps_every_digit(value: float | None, text: str) -> None:
    assert plain(units.format_count(value)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "—"),
        (0, "0_ms"),
        (0.00000087, "0.87_µs"),
        (0.00087, "870_µs"),
        (0.00099949, "999_µs"),
        (0.00099951, "1.00_ms"),
        (0.152, "152_ms"),
        (0.9994, "999_ms"),
        (0.9996, "1.00_s"),
        (4.28, "4.28_s"),
        (75, "75.0_s"),
    ],
)
def test_a_measured_time_takes_the_unit_that_reads_best(seconds: float | None, text: str) -> None:
    assert plain(units.format_duration(seconds)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0.4 s"),
        (45, "45 s"),
        (59.6, "1 min"),
        (110, "1 min 50 s"),
        (3599.7, "1 h"),
        (7500, "2 h 5 min"),
    ],
)
def test_a_length_of_wall_time(seconds: float, text: str) -> None:
    assert units.format_period(seconds) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, "—"),
        (0, "0_B"),
        (1000, "1_000_B"),
        (1023.6, "1.00_KiB"),
        (182 * 2**20, "182_MiB"),
        (1023.7 * 2**20, "1.00_GiB"),
        (5000 * 2**30, "5_000_GiB"),
    ],
)
def test_memory_is_in_binary_units(amount: float | None, text: str) -> None:
    assert plain(units.format_bytes(amount)) == text


def test_a_rate_and_a_percentage_carry_their_sign() -> None:
    assert plain(units.format_rate(612.3)) == "612_/s"
    assert plain(units.format_percent(3.21)) == "3.21_%"
    assert (units.format_rate(None), units.format_percent(None)) == ("—", "—")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10", 10.0),
        ("0", 0.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("10s", 10.0),
        ("10 s", 10.0),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("2min", 120.0),
        ("1h", 3600.0),
        (" 3 ", 3.0),
    ],
)
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert units.parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "ten", "-1", "10 days", "1,5", "1e3", "1h30m", "nan"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a time; write seconds \(10\) or a unit \(500ms"):
        units.parse_seconds(text)
