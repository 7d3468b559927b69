import http.client

import pytest

from benchsuite.probing import answer


class Answer:
    def __init__(self, token: str | None) -> None:
        self.token = token

    def read(self) -> bytes:
        return b""

    def getheader(self, name: str) -> str | None:
        return {"X-Benchsuite-Run": self.token}.get(name)


class Connection:
    """Stands for http.client.HTTPConnection."""

    token: str | None = "mine"
    error: Exception | None = None
    asked: list[tuple[object, ...]]

    def __init__(self, host: str, port: int, timeout: float) -> None:
        type(self).asked = [(host, port)]

    def request(self, method: str, path: str, headers: dict[str, str]) -> None:
        self.asked.append((method, path))
        if self.error:
            raise self.error

    def getresponse(self) -> Answer:
        return Answer(self.token)

    def close(self) -> None:
        self.asked.append(("close",))


@pytest.fixture
def connection(monkeypatch) -> type[Connection]:
    class Fresh(Connection):
        asked: list[tuple[object, ...]] = []

    monkeypatch.setattr(answer.http.client, "HTTPConnection", Fresh)
    return Fresh


@pytest.mark.parametrize(
    ("token", "expected"), [("mine", True), ("theirs", False), (None, False), ("", False)]
)
def test_only_the_header_of_this_run_is_proof(connection, token, expected):
    connection.token = token
    assert answer.answers_as("http://127.0.0.1:8001/a/?b=c", "mine") is expected
    assert connection.asked == [("127.0.0.1", 8001), ("GET", "/a/?b=c"), ("close",)]


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(), TimeoutError(), http.client.BadStatusLine("x")]
)
def test_no_answer_is_no(connection, error):
    connection.error = error
    assert answer.answers_as("http://127.0.0.1:8001", "mine") is False
    assert connection.asked[1:] == [("GET", "/"), ("close",)]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "127.0.0.1:8000", "http:///path"])
def test_what_is_no_url_is_a_mistake_of_the_caller(url):
    with pytest.raises(ValueError, match=r"wants http\(s\)://host:port/path"):
        answer.answers_as(url, "mine")
