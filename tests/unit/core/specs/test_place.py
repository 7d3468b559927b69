"""A run's databases are its own: no setting names another one."""

from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.database import names_one, renamed
from benchsuite.core.specs.server import TargetSpec

ENTRY = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("DATABASES", {"default": ENTRY}),
        ("DATABASES", {}),
        ("DATABASES.default", ENTRY),
        ("DATABASES.archive", {"CONN_MAX_AGE": 5}),
        ("DATABASES.default.NAME", "shop"),
        ("DATABASES.default.HOST", "db.example.com"),
        ("DATABASES.default.TEST", {"NAME": "shop"}),
        ("DATABASES.default.TEST.NAME", "shop"),
        ("DATABASES.default.OPTIONS", {"timeout": 5, "database": "shop.sqlite3"}),
        ("DATABASES.default.OPTIONS.service", "shop"),
        ("DATABASES.default.OPTIONS.dbname", "shop"),
    ],
)
def test_what_names_a_database_is_refused(setting: str, value: Any) -> None:
    assert names_one(setting, value)
    with pytest.raises(UsageError, match=rf"^--setting {setting} would name a database, and a run"):
        TargetSpec(settings={setting: value})


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("DATABASES.default.CONN_HEALTH_CHECKS", True),
        ("DATABASES.default.ATOMIC_REQUESTS", True),
        ("DATABASES.default.OPTIONS", {"timeout": 5}),
        ("DATABASES.default.OPTIONS.pool", {"max_size": 4}),
        ("DATABASE_ROUTERS", ["shop.routers.Router"]),
        ("CACHES.default.NAME", "shop"),
    ],
)
def test_how_a_database_is_used_may_be_said(setting: str, value: Any) -> None:
    assert not names_one(setting, value)
    assert TargetSpec(settings={setting: value}).settings == {setting: value}


def test_no_option_of_a_driver_stands_for_another_name() -> None:
    options = {"dbname": "shop", "sslmode": "require"}
    entry: dict[str, Any] = {**ENTRY, "OPTIONS": options}
    renamed(entry, "bench_1")
    assert entry == {**ENTRY, "NAME": "bench_1", "OPTIONS": {"sslmode": "require"}}
    assert options["dbname"] == "shop"
    renamed(bare := dict(ENTRY), "bench_1")
    assert "OPTIONS" not in bare
