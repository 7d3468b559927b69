"""Numbered messages say whose they are, and whether they are whole."""

import pytest

from benchsuite.core.specs import MAX_USERS
from benchsuite.load.client.websocket import accounts
from benchsuite.load.client.websocket.accounts import (
    HEAD_BYTES,
    LEAST_PUBLICATION_BYTES,
    REHEARSING_USER,
    Numbered,
    Published,
    connection_number,
    message,
    numbered,
    publication,
    published,
    resembles,
    resembles_publication,
)
from benchsuite.workloads import websockets
from benchsuite.workloads import websockets as common


@pytest.mark.parametrize("size", [24, 25, 100, 70_000])
def test_a_message_says_its_numbers_at_every_length(size: int) -> None:
    data = message(0xC0FFEE, 7, size)
    assert len(data) == size
    assert data.decode("ascii").isprintable()
    assert numbered(data) == Numbered(0xC0FFEE, 7)


@pytest.mark.parametrize("place", [0, 9, 17, 24, 30, 99])
def test_any_other_byte_is_noticed(place: int) -> None:
    data = bytearray(message(1, 2, 100))
    data[place] ^= 1
    assert numbered(bytes(data)) is None


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 24, b"z" * 100, message(1, 2, 60)[:-1]])
def test_what_is_none_of_ours_is_told(data: bytes) -> None:
    assert numbered(data) is None


@pytest.mark.parametrize("size", [56, 57, 4000])
def test_a_publication_carries_its_times_exactly(size: int) -> None:
    data = publication(5, 6, size, 1234.5678901234567, 1234.6)
    assert len(data) == size
    assert published(data) == Published(5, 6, 1234.5678901234567, 1234.6)


@pytest.mark.parametrize("place", [0, 17, 24, 40, 55, 60])
def test_a_damaged_publication_is_noticed(place: int) -> None:
    data = bytearray(publication(5, 6, 64, 1.0, 2.0))
    data[place] ^= 1
    assert published(bytes(data)) is None
    assert published(data[:50]) is None


def test_every_connection_of_a_load_has_a_number_of_its_own() -> None:
    users = (0, 1, MAX_USERS - 1, REHEARSING_USER)
    numbers = {connection_number(user, place) for user in users for place in range(1000)}
    assert len(numbers) == 4000
    assert max(numbers) < 2**32
    assert MAX_USERS <= REHEARSING_USER < 2 ** (32 - accounts.GENERATIONS)


def test_the_workloads_know_the_least_and_the_most() -> None:
    assert websockets.LEAST_ECHO_BYTES == HEAD_BYTES
    assert websockets.LEAST_BYTES == LEAST_PUBLICATION_BYTES
    assert common.MOST_BYTES == accounts.MOST_BYTES


SAID = message(0xC0FFEE, 7, 64)


@pytest.mark.parametrize(
    "data",
    [
        SAID[:-1] + b"!",
        b"!" + SAID[1:],
        SAID[:20],
        SAID[3:],
        SAID + SAID,
        b'{"message": "%s"}' % SAID,
        SAID.swapcase(),
    ],
    ids=["end", "begin", "cut", "tail", "twice", "wrapped", "case"],
)
def test_what_was_damaged_is_told_from_what_a_server_says(data: bytes) -> None:
    assert resembles(data, SAID)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"2",
        b'{"type": "tick"}',
        b'{"type": "tick"}'.ljust(64),
        b"0" * 15,
        b"550e8400e29b41d4a716446655440000" * 2,
        b"x" * 64,
        b"x" * 70_000,
    ],
)
def test_what_a_server_says_by_itself_is_no_damage(data: bytes) -> None:
    assert not resembles(data, SAID)
    assert not resembles_publication(data)


def test_a_damaged_publication_resembles_one() -> None:
    said = publication(5, 6, 100, 1234.5, 1234.6)
    for place in range(100):
        data = bytearray(said)
        data[place] ^= 1
        assert resembles_publication(bytes(data))
