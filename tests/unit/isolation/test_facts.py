"""What the keeper tells the parent of a project's settings."""

import dataclasses
import json

import pytest

from benchsuite.isolation.facts import Facts, database_address

POSTGRESQL = {"ENGINE": "django.db.backends.postgresql", "HOST": "db.example", "PORT": ""}


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        (POSTGRESQL, ("db.example", 5432)),
        ({**POSTGRESQL, "PORT": "5433"}, ("db.example", 5433)),
        ({**POSTGRESQL, "ENGINE": "django.contrib.gis.db.backends.postgis"}, ("db.example", 5432)),
        ({**POSTGRESQL, "ENGINE": "django.db.backends.mysql"}, ("db.example", 3306)),
        ({**POSTGRESQL, "HOST": "/run/postgresql"}, None),
        ({**POSTGRESQL, "HOST": ""}, None),
        ({"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_a_database_reached_by_tcp_has_an_address(entry, address):
    assert database_address(entry) == address


def test_facts_come_through_json_as_they_were():
    settings = {
        "DATABASES": {"default": POSTGRESQL},
        "STATIC_URL": "/static/",
        "STATIC_ROOT": None,
    }
    facts = Facts.of(settings)
    assert facts.database_address == ("db.example", 5432)
    assert (facts.static_url, facts.static_root) == ("/static/", "")
    assert Facts.from_json(json.loads(json.dumps(dataclasses.asdict(facts)))) == facts
