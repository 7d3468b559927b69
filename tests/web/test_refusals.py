"""Pages on a database that can't be asked: 503 and a sentence in the usual frame."""

from uuid import UUID

import pytest
from bs4 import BeautifulSoup

from tests.broken_databases import BROKEN, asked_instead

RUN = UUID(int=7)
PATHS = [
    *("", "export/", f"delete/?runs={RUN}", f"compare/?runs={RUN}"),
    *(f"{RUN}/", f"{RUN}/?format=json", f"{RUN}/goodput.csv"),
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.__name__)
def test_each_page_says_what_to_do(client, tmp_path, broken, path):
    with asked_instead({**broken(tmp_path), "ATOMIC_REQUESTS": True}):
        answer = client.get(f"/results/{path}")
    assert answer.status_code == 503
    page = BeautifulSoup(answer.content, "html.parser")
    assert all(words in page.select_one("main .sentence").text for words in BROKEN[broken])
    assert page.select_one("header nav a")["href"] == "/results/"


def test_who_may_be_a_stranger_is_not_told_where_the_database_is(
    client, settings, tmp_path, caplog
):
    settings.BENCHSUITE = {}
    client.cookies["sessionid"] = "a" * 32
    broken = next(iter(BROKEN))
    with asked_instead(broken(tmp_path)):
        answer = client.get("/results/")
    assert answer.status_code == 503
    assert "The database can&#x27;t be asked who has access" in answer.content.decode()
    assert "sqlite3" not in answer.content.decode()
    assert "letter.sqlite3 is damaged or no database" in caplog.text


@pytest.mark.parametrize(
    "wrong", [["ACCESS"], {"ACCESS": 3}, {"ACCESS": "no.such.rule"}, {"SERVERS": []}]
)
def test_a_wrong_setting_opens_no_page(client, settings, wrong, caplog):
    settings.BENCHSUITE = wrong
    answer = client.get("/results/")
    assert answer.status_code == 503
    assert "The setting BENCHSUITE is invalid" in answer.content.decode()
    assert "BENCHSUITE" in caplog.text
