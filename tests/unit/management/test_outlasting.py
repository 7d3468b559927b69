"""Commands go on when nobody reads what they print."""

import os
from collections.abc import Iterator
from io import StringIO
from typing import TextIO

import pytest

from benchsuite.management.outlasting import Outlasting


@pytest.fixture
def unread() -> Iterator[TextIO]:
    """A pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        yield stream


@pytest.fixture
def full() -> Iterator[TextIO]:
    with open("/dev/full", "w", encoding="utf-8") as stream:
        yield stream


@pytest.mark.parametrize("kind", ["unread", "full"])
def test_what_can_not_be_written_is_dropped(kind: str, request: pytest.FixtureRequest) -> None:
    stream = Outlasting(request.getfixturevalue(kind))
    for _ in range(3):
        assert stream.write("a line\n" * 10_000) == 70_000
        stream.flush()


def test_what_can_is_written() -> None:
    inner = StringIO()
    stream = Outlasting(inner)
    stream.write("said")
    stream.flush()
    assert inner.getvalue() == "said"
    assert not stream.isatty()
