"""Pages as an open console shows them: every test asks from loopback, unless it says otherwise."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

LOOPBACK = "benchsuite.views.access.loopback"


@pytest.fixture(autouse=True)
def _open_pages(settings: Any, db: None) -> None:
    settings.BENCHSUITE = {"ACCESS": LOOPBACK}


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST="localhost")


@pytest.fixture
def soup(client: Client) -> Any:
    """A function that gets a page and returns it parsed; the status must be the expected one."""

    def get(path: str, *, status: int = 200) -> BeautifulSoup:
        answer = client.get(path)
        assert answer.status_code == status, answer.content[:400]
        return BeautifulSoup(answer.content, "html.parser")

    return get
