"""Pages as an open console shows them: every test has its token, unless it says otherwise."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from benchsuite.views.access import TOKEN_VARIABLE

BY_TOKEN = "benchsuite.views.access.token"
TOKEN = "x3Yq"


@pytest.fixture(autouse=True)
def _open_pages(settings: Any, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN}
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


def with_token(client: Client) -> Client:
    client.cookies["benchsuite-80"] = TOKEN
    return client


@pytest.fixture
def client() -> Client:
    return with_token(Client(HTTP_HOST="localhost"))


@pytest.fixture
def soup(client: Client) -> Any:
    """A function that gets a page and returns it parsed; the status must be the expected one."""

    def get(path: str, *, status: int = 200) -> BeautifulSoup:
        answer = client.get(path)
        assert answer.status_code == status, answer.content[:400]
        return BeautifulSoup(answer.content, "html.parser")

    return get
