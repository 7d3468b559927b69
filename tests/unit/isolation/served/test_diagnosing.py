"""What a diagnostic start writes of a query, and what a run makes of it."""

import json
from pathlib import Path

import pytest

from benchsuite.isolation.served import diagnosing
from benchsuite.isolation.served.diagnosing import Account, Page, words
from benchsuite.runner.diagnosis import diagnosis


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ('SELECT "shop_product"."id" FROM "shop_product" WHERE id = %s', "SELECT shop_product"),
        ("select count(*) from `shop_order`", "SELECT shop_order"),
        ('INSERT INTO "shop"."basket" ("id") VALUES (%s)', "INSERT shop.basket"),
        ("UPDATE shop_stock SET left = 'secret'", "UPDATE shop_stock"),
        ("  SAVEPOINT x1", "SAVEPOINT"),
        ("", "?"),
    ],
)
def test_queries_are_told_without_values(sql: str, told: str) -> None:
    assert words(sql) == told


def test_accounts_of_processes_are_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "EVERY_S", 0.0)
    product = ("SELECT shop_product", "shop/views.py:12", 7)
    for name, requests in (("1", 1), ("2", 3)):
        account = Account(tmp_path / f"diagnosis-{name}.json", paused_s=0.1, longest_pause_s=0.05)
        for _ in range(requests):
            one = Page(request_s=0.1, queries=20, query_s=0.04, shapes={product: [20, 0.04]})
            account.add("GET /shop/", one)
    found = diagnosis(tmp_path / "instructions.json")
    assert found is not None
    (page,) = found["pages"]
    assert (page["page"], page["requests"], page["queries"]) == ("GET /shop/", 4, 20)
    assert page["request_s"] == pytest.approx(0.1)
    (shape,) = page["shapes"]
    assert (shape["query"], shape["place"], shape["times"]) == (*product[:2], 20)
    assert shape["query_s"] == pytest.approx(0.04)
    assert found["paused_s"] == pytest.approx(0.2)
    assert json.dumps(found)


def test_a_start_that_wrote_nothing_has_no_diagnosis(tmp_path: Path) -> None:
    assert diagnosis(tmp_path / "instructions.json") is None
