"""The Cassandra store against a real Cassandra: the pages, and the contract of a store."""

import json
import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchsuite.services.cassandra import Cassandra
from benchsuite.target.survey import store as module
from benchsuite.target.survey.cassandra import CassandraStore
from benchsuite.target.survey.definitions import Survey
from benchsuite.target.survey.loading import load_surveys
from benchsuite.target.survey.store import Answer, Participation, Visit, completions, counts
from tests.integration.command import Command
from tests.unit.survey.visitor import Visitor

pytestmark = [pytest.mark.audit, pytest.mark.django_db]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with (
        tempfile.TemporaryDirectory(prefix="bst-") as folder,
        Cassandra(folder=Path(folder), marker=uuid.uuid4().hex, env=dict(os.environ)) as one,
    ):
        assert one.port is not None
        yield one.port


@pytest.fixture
def kept(port: int, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[CassandraStore]:
    """The store that the pages use, on a keyspace of the test's own."""
    load_surveys()
    settings.ROOT_URLCONF = "testproject.urls_target"
    settings.BENCHSUITE_SURVEY_STORE = "benchsuite.target.survey.cassandra.CassandraStore"
    keyspace = f"test_{uuid.uuid4().hex[:8]}"
    settings.BENCHSUITE_SURVEY_CASSANDRA = {"PORT": port, "KEYSPACE": keyspace}
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
    module.store.cache_clear()
    store: Any = module.store()
    yield store
    store.close()
    module.store.cache_clear()


def again(kept: CassandraStore, visit: Visit, survey: Survey) -> Visit:
    found = kept.visit(survey, str(visit.id))
    assert found is not None
    return found


@pytest.mark.parametrize("slug", ["coffee", "travel", "census"])
def test_a_survey_is_completed(slug: str, kept: CassandraStore) -> None:
    answer, _ = Visitor(Client(enforce_csrf_checks=True)).complete(slug)
    assert b"data-completion-code" in answer.content
    found = counts()
    assert (found["participations"], found["completions"]) == (1, 1)
    assert found["uploads"] == (slug != "coffee")
    assert found["answers"] >= 5
    assert completions() == 1
    assert not Participation.objects.exists()
    assert not Answer.objects.exists()


def test_a_way_that_was_left_is_forgotten(kept: CassandraStore) -> None:
    visitor = Visitor(Client(enforce_csrf_checks=True))
    visitor.get("health/")
    visitor.post("health/1/", visitor.answers("health", 1, smoker="now", sport="no"))
    visitor.post("health/2/", visitor.answers("health", 2))
    before = counts()["answers"]
    visitor.post("health/1/", visitor.answers("health", 1, smoker="never", sport="no"))
    for number in (4, 5, 6):
        visitor.post(f"health/{number}/", visitor.answers("health", number, water=None))
    assert before == 10
    assert counts() == {"participations": 1, "completions": 1, "answers": 19, "uploads": 0}


def test_the_contract_of_a_store(kept: CassandraStore) -> None:
    travel, coffee = (Survey.objects.get(slug=slug) for slug in ("travel", "coffee"))
    visit = kept.begin(travel)
    assert again(kept, visit, travel) == visit
    assert kept.visit(coffee, str(visit.id)) is None
    assert kept.visit(travel, str(uuid.uuid4())) is None
    assert kept.visit(travel, "no id at all") is None
    file = SimpleUploadedFile("a.png", b"x" * 200_000, "image/png")
    kept.save_page(visit, 2, {7: ["a", "b"], 8: None, 9: {"name": "a.png"}}, {9: file}, done=False)
    assert again(kept, visit, travel).done == []
    kept.save_page(visit, 2, {7: "ä"}, {}, done=True)
    kept.save_page(visit, 1, {6: 1.5}, {}, done=True)
    assert again(kept, visit, travel).done == [1, 2]
    assert again(kept, visit, travel).answers == {6: 1.5, 7: "ä", 8: None, 9: {"name": "a.png"}}
    for _ in range(2):
        kept.complete(visit, {9})
    assert again(kept, visit, travel).completed
    kept.begin(coffee)
    assert kept.counts() == {"participations": 2, "completions": 1, "answers": 3, "uploads": 0}


@pytest.mark.alone
def test_a_run_starts_one_and_counts_in_it(command: Command) -> None:
    ended = command.run(
        *("runbench", "--server=gunicorn-gthread", "--workload=survey", "--users=2", "--json=-"),
        *("--workload-option=store=cassandra", "--warmup=0", "--duration=4"),
    )
    assert ended.status == 0, ended.err
    (run,) = json.loads(ended.out)
    assert run["completions"] >= 1
    assert [one["version"] for one in run["programs"] if one["part"] == "cassandra"] != [""]
    assert not {"B208", "B301"} & {one["code"].partition(" ")[0] for one in run["findings"]}
