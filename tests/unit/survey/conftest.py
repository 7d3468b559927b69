"""A run's surroundings and the seven surveys, for tests of the survey application."""

from functools import cache
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from benchsuite.target.survey import store
from benchsuite.target.survey.definitions import (
    Choice,
    Condition,
    Page,
    Question,
    Survey,
    load_surveys,
)
from tests.unit.survey.visitor import Visitor

MODELS: list[Any] = [Survey, Page, Question, Choice, Condition]


@cache
def _rows() -> list[list[Any]]:
    """Every row of the seven surveys. They are loaded once, then thrown away by their test."""
    load_surveys()
    rows = [list(model.objects.all()) for model in MODELS]
    Survey.objects.all().delete()
    return rows


@pytest.fixture(autouse=True)
def _in_a_run(monkeypatch, settings, db):
    for model, rows in zip(MODELS, _rows(), strict=True):
        model.objects.bulk_create(rows)
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
    settings.ROOT_URLCONF = "testproject.urls_target"
    store.store.cache_clear()


@pytest.fixture
def visitor():
    return Visitor(Client(enforce_csrf_checks=True))


@pytest.fixture
def soup():
    return lambda answer: BeautifulSoup(answer.content, "html.parser")
