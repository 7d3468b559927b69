"""Cassandra as a service of a run, with a stub in its place, too, and as the survey's store."""

import json
import os
import shutil
import socket
import stat
import tempfile
import uuid
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.services.cassandra import Cassandra
from benchsuite.target.survey import store as module
from benchsuite.target.survey.definitions import Survey, load_surveys
from benchsuite.target.survey.store import Answer, Participation, store
from tests.integration.left_behind import processes_with
from tests.integration.postgres import started
from tests.needs import needs
from tests.unit.survey.visitor import Visitor

pytestmark = [pytest.mark.audit, pytest.mark.django_db]


@pytest.fixture(scope="module")
def port():
    with started(Cassandra) as one:
        yield one.port


@pytest.fixture
def kept(port, settings, monkeypatch):
    """The store that the pages use, on a keyspace of the test's own."""
    load_surveys()
    settings.ROOT_URLCONF = "testproject.urls_target"
    keyspace = f"test_{uuid.uuid4().hex[:8]}"
    monkeypatch.setenv(module.CASSANDRA_URL, f"cassandra://127.0.0.1:{port}/{keyspace}")
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
    module.store.cache_clear()
    store = module.store()
    yield store
    store.close()
    module.store.cache_clear()


def again(kept, visit, survey):
    return kept.visit(survey, visit.id)


@needs("cassandra")
@pytest.mark.parametrize("slug", ["coffee", "travel", "census"])
def test_a_survey_is_completed(slug, kept):
    answer, _ = Visitor(Client(enforce_csrf_checks=True)).complete(slug)
    assert b"data-completion-code" in answer.content
    found = store().counts()
    assert (found["participations"], found["completions"]) == (1, 1)
    assert found["uploads"] == (slug != "coffee")
    assert found["answers"] >= 5
    assert store().counts()["completions"] == 1
    assert not Participation.objects.exists()
    assert not Answer.objects.exists()


@needs("cassandra")
def test_the_contract_of_a_store(kept):
    travel, coffee = (Survey.objects.get(slug=slug) for slug in ("travel", "coffee"))
    visit = kept.begin(travel)
    assert again(kept, visit, travel) == visit
    assert kept.visit(coffee, visit.id) is None
    assert kept.visit(travel, uuid.uuid4()) is None
    file = SimpleUploadedFile("a.png", b"x" * 200_000, "image/png")
    kept.save_page(visit, 2, {7: ["a", "b"], 8: None, 9: {"name": "a.png"}}, {9: file})
    assert again(kept, visit, travel).done == [2]
    kept.save_page(visit, 2, {7: "ä"}, {})
    kept.save_page(visit, 1, {6: 1.5}, {})
    assert again(kept, visit, travel).done == [1, 2]
    assert again(kept, visit, travel).answers == {6: 1.5, 7: "ä", 8: None, 9: {"name": "a.png"}}
    for _ in range(2):
        kept.complete(visit)
    assert again(kept, visit, travel).completed
    kept.begin(coffee)
    assert kept.counts() == {"participations": 2, "completions": 1, "answers": 4, "uploads": 1}


@pytest.mark.alone
@needs("cassandra")
def test_a_run_starts_one_and_counts_in_it(command):
    ended = command.run(
        *("runbench", "--server=gunicorn-gthread", "--workload=survey", "--users=2", "--json=-"),
        *("--workload-option=store=cassandra", "--warmup=0", "--duration=4"),
    )
    assert ended.status == 0, ended.err
    (run,) = json.loads(ended.out)
    assert run["completions"] >= 1
    assert [one["version"] for one in run["programs"] if one["part"] == "cassandra"] != [""]
    assert not {"B208", "B301"} & {one["code"].partition(" ")[0] for one in run["findings"]}


MARKER = "a-marker-of-cassandra"
JAVA = """#!/usr/bin/python3
import json, pathlib, signal, socket, sys, time
from urllib.parse import unquote, urlsplit
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if "broken" in sys.argv[sys.argv.index("-cp") + 1]:
    sys.exit("Exception (java.lang.OutOfMemoryError)")
(told,) = (word.partition("=")[2] for word in sys.argv if word.startswith("-Dcassandra.config="))
config = json.loads(pathlib.Path(unquote(urlsplit(told).path)).read_text())
pathlib.Path(config["commitlog_directory"]).mkdir()
with socket.create_server((config["rpc_address"], config["native_transport_port"])):
    time.sleep(0.3)
    print("INFO Starting listening for CQL clients on", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(monkeypatch):
    """What everybody may read: as root, the service runs as nobody."""
    with tempfile.TemporaryDirectory(prefix="bst-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        java = folder / "java"
        java.write_text(JAVA)
        java.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        yield folder


@pytest.fixture
def jars(folder, monkeypatch):
    def make(name="jars"):
        made = folder / name
        made.mkdir()
        made.chmod(0o755)
        (made / "cassandra-all-5.0.4.jar").touch()
        monkeypatch.setenv("CASSANDRA_JARS", str(made))
        return made

    return make


def service(folder):
    own = folder / "its own [1]"
    own.mkdir()
    return Cassandra(folder=own, marker=MARKER, env=dict(os.environ))


def test_it_answers_in_the_block_and_is_gone_after_it(folder, jars):
    jars()
    with service(folder) as one:
        assert one.url == f"cassandra://127.0.0.1:{one.port}/benchsuite_surveys"
        assert one.version == "5.0.4"
        assert one.answers()
        assert (one.folder / "commitlog").is_dir()
        assert not stat.S_IMODE((one.folder / "cassandra.yaml").stat().st_mode) & 0o077
    assert processes_with(MARKER) == []
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", one.port or 0)) != 0


def test_one_that_does_not_come_up_says_why(folder, jars):
    jars("broken")
    with pytest.raises(StartError, match=r"(?s)Cassandra .*OutOfMemoryError"), service(folder):
        pass


def test_without_its_jars_it_is_not_available(folder, jars, monkeypatch):
    monkeypatch.delenv("CASSANDRA_JARS", raising=False)
    names_none = "CASSANDRA_JARS names no folder of its jars"
    with pytest.raises(UnavailableError, match=names_none), service(folder):
        pass
    monkeypatch.setenv("CASSANDRA_JARS", str(folder))
    assert not Cassandra.available().ok, "a folder with other things in it"
    jars()
    assert Cassandra.available().ok
    (folder / "java").unlink()
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert Cassandra.available().command == "apt install openjdk-17-jre-headless"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user to run it as")
def test_jars_that_its_user_may_not_read_are_told(jars):
    jars().chmod(0o700)
    assert "may not read" in Cassandra.available().reason
