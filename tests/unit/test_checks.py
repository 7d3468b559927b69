"""Wrong settings are found before a run meets them."""

from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from benchsuite.checks import check_settings, check_urls


def ids(benchsuite: Any) -> list[str | None]:
    with override_settings(BENCHSUITE=benchsuite):
        return [message.id for message in check_settings()]


def test_the_test_project_and_an_empty_dict_are_right() -> None:
    assert check_settings() == []
    assert ids({}) == []


@pytest.mark.parametrize(
    ("benchsuite", "check_id"),
    [
        (["SERVERS"], "benchsuite.E001"),
        ({"SERVER": {}}, "benchsuite.E002"),
        ({"SERVERS": []}, "benchsuite.E003"),
        ({"SERVERS": {"x": "no.such.Class"}}, "benchsuite.E003"),
        ({"SERVERS": {"x": "benchsuite.workloads.plain.Plain"}}, "benchsuite.E003"),
        ({"SERVERS": {"x": None}}, "benchsuite.E003"),
        ({"FRONTS": {"x": "benchsuite.servers.uwsgi.Uwsgi"}}, "benchsuite.E007"),
        ({"WORKLOADS": {"x": "benchsuite.units.format_bytes"}}, "benchsuite.E004"),
        ({"ACCESS": "nowhere.f"}, "benchsuite.E005"),
        ({"ACCESS": "benchsuite.units.THIN_SPACE"}, "benchsuite.E005"),
        ({"TARGET_SETTINGS": "no.such.module"}, "benchsuite.E006"),
        ({"TARGET_SETTINGS": 3}, "benchsuite.E006"),
        ({"OVERRIDES": ["MEDIA_ROOT"]}, "benchsuite.E008"),
        ({"OVERRIDES": {"PLACE": Path("/x")}}, "benchsuite.E008"),
        ({"OVERRIDES": {3: "x"}}, "benchsuite.E008"),
        ({3: {}}, "benchsuite.E002"),
        ({"CONSOLE_URL": None}, "benchsuite.E009"),
        ({"CONSOLE_URL": ["http://127.0.0.1/"]}, "benchsuite.E009"),
        ({"CONSOLE_URL": "http://127.0.0.1:8000/results"}, "benchsuite.E009"),
        ({"CACHE": 3}, "benchsuite.E010"),
        ({"CACHE": ""}, "benchsuite.E010"),
    ],
)
def test_each_mistake_has_its_id_and_a_hint(benchsuite: Any, check_id: str) -> None:
    with override_settings(BENCHSUITE=benchsuite):
        (message,) = check_settings()
    assert message.id == check_id
    assert message.hint


def test_pages_that_are_not_mounted_are_a_warning() -> None:
    assert check_urls() == []
    with override_settings(ROOT_URLCONF="testproject.urls_target"):
        (message,) = check_urls()
    assert message.id == "benchsuite.W001"
