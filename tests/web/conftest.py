"""Pages as an open console shows them: every test has its token, unless it says otherwise."""

import csv
import io

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client

from benchsuite.system import lock
from benchsuite.views.access import TOKEN_VARIABLE

BY_TOKEN = "benchsuite.views.access.token"
TOKEN = "x3Yq"
GONE = lock.owner_name().rsplit(":", 2)[0] + ":999999999:1"  #: A command that was killed.


@pytest.fixture(autouse=True)
def _open_pages(settings, db, monkeypatch):
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN}
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


def with_token(client):
    client.cookies["benchsuite-80"] = TOKEN
    return client


@pytest.fixture
def client():
    return with_token(Client(HTTP_HOST="localhost"))


@pytest.fixture
def admin(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def soup(client):
    """A function that gets a page and returns it parsed; the status must be the expected one."""

    def get(path, *, status=200):
        answer = client.get(path)
        assert answer.status_code == status, answer.content[:400]
        return BeautifulSoup(answer.content, "html.parser")

    return get


def text(client, address):
    """What there is to be had, streamed or not."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.getvalue().decode()


def csv_rows(client, address):
    return list(csv.DictReader(io.StringIO(text(client, address), newline="")))


def table(page, caption):
    """The rows of a table, as they are read."""
    shown = next(one for one in page.select("table") if one.caption.text.startswith(caption))
    rows = [row.select("th, td") for row in shown.select("tr")]
    return [[" ".join(cell.text.split()) for cell in row] for row in rows]
