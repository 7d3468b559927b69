"""Exceptions of other HTTP clients, by the kind of failure they stand for."""

import http.client

import pytest
import requests
import urllib3

from benchsuite.core.samples import Kind
from benchsuite.load.process.failures import kind_of


class CatchResponseError(Exception):
    """As Locust names the failure that a with-block declares."""


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (ConnectionRefusedError(111, "refused"), 0, Kind.CONNECT_REFUSED),
        (requests.exceptions.ConnectTimeout(), 0, Kind.CONNECT_TIMEOUT),
        (requests.exceptions.ReadTimeout(), 0, Kind.READ_TIMEOUT),
        (TimeoutError(), 0, Kind.READ_TIMEOUT),
        (http.client.RemoteDisconnected("end"), 0, Kind.RESET),
        (ConnectionResetError(104, "reset"), 0, Kind.RESET),
        (requests.exceptions.ChunkedEncodingError(), 0, Kind.TRUNCATED),
        (http.client.BadStatusLine("x"), 0, Kind.PROTOCOL),
        (urllib3.exceptions.ProtocolError("x"), 0, Kind.PROTOCOL),
        (http.client.HTTPException("Incomplete response."), 200, Kind.TRUNCATED),
        (requests.exceptions.HTTPError("404"), 404, Kind.HTTP_STATUS),
        (CatchResponseError("wrong"), 503, Kind.HTTP_STATUS),
        (CatchResponseError("wrong"), 200, Kind.WRONG_BODY),
        (AssertionError(), 200, Kind.WRONG_BODY),
        (TimeoutError(), 200, Kind.READ_TIMEOUT),
        (ValueError("no idea"), None, Kind.OTHER),
    ],
)
def test_kinds(error: Exception, status: int | None, kind: Kind) -> None:
    assert kind_of(error, status=status) is kind


def test_the_cause_counts_where_the_exception_says_nothing() -> None:
    outer = requests.exceptions.ConnectionError("went wrong")
    outer.__cause__ = ConnectionRefusedError()
    assert kind_of(outer, status=0) is Kind.CONNECT_REFUSED
