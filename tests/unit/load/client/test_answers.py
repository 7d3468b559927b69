"""What an answer stands for: its kind of failure, the refusal's words, its sample."""

import socket
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchsuite.core.samples import JOURNEY, PROCESS_SHIFT, RECORD, REQUEST, Kind
from benchsuite.load.client import target as recording
from benchsuite.load.client.failures import Failure
from benchsuite.load.client.failures import refusal_sentence as sentence_for
from benchsuite.load.client.target import OTHER_NAMES, SpoolRecorder, Target
from benchsuite.load.job import NAMES_FILE, SAMPLES_FILE
from benchsuite.load.parent import driver
from tests.unit.load.parent.test_driver import JOB as ANY_JOB


def came(status, location="", **more):
    headers = {"Location": location} if location else {}
    return SimpleNamespace(status_code=status, headers=headers, **more)


@pytest.fixture
def recorder(tmp_path):
    one = SpoolRecorder(tmp_path)
    yield one
    one.close()


def test_samples_come_back_as_they_were(recorder, tmp_path):
    journey = recorder.index("buy", JOURNEY)
    page = recorder.index("GET /", REQUEST)
    recorder.add(page, Kind.OK | 7 << PROCESS_SHIFT, 3, 1234, 10.5, 10.5, 11.25)
    recorder.add(journey, Kind.WRONG_BODY, 3, 0, 10.25, 10.25, 11.5)
    recorder.example(journey, Kind.WRONG_BODY, "no price")
    recorder.example(journey, Kind.WRONG_BODY, "another")
    recorder.flush()
    samples, names = driver.read_samples(tmp_path)
    assert samples.tolist() == [
        (page, Kind.OK, 7, 3, 1234, 10.5, 10.5, 11.25),
        (journey, Kind.WRONG_BODY, 0, 3, 0, 10.25, 10.25, 11.5),
    ]
    assert names == [
        driver.NameEntry(name="buy", scope="journey", examples={Kind.WRONG_BODY: "no price"}),
        driver.NameEntry(name="GET /", scope="request", examples={}),
    ]


def test_a_name_has_one_number_in_each_scope(recorder):
    assert recorder.index("a", REQUEST) == recorder.index("a", REQUEST)
    assert recorder.index("a", REQUEST) != recorder.index("a", JOURNEY)


def test_too_many_names_become_one(recorder, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "MAX_NAMES", 3)
    numbers = [recorder.index(f"GET /{n}", REQUEST) for n in range(6)]
    assert numbers == [0, 1, 2, 3, 3, 3]
    recorder.flush()
    assert [entry.name for entry in driver.read_names(tmp_path)][-1] == OTHER_NAMES


def test_nothing_is_written_before_the_flush(recorder, tmp_path):
    recorder.add(recorder.index("a", REQUEST), Kind.OK, 0, 0, 1.0, 1.0, 2.0)
    assert len(driver.read_samples(tmp_path)[0]) == 0
    recorder.flush()
    recorder.flush()
    assert len(driver.read_samples(tmp_path)[0]) == 1


def test_a_sample_half_written_is_left_for_the_next_reading(tmp_path):
    packed = RECORD.pack(0, 0, 0, 0, 1.0, 1.0, 2.0)
    (tmp_path / NAMES_FILE).write_text('[{"name": "a", "scope": "request", "examples": {}}]')
    worker = driver.LoadWorker.__new__(driver.LoadWorker)
    worker.spool = tmp_path
    for so_far, new in ((packed + packed[:10], 1), (2 * packed, 1), (2 * packed, 0)):
        (tmp_path / SAMPLES_FILE).write_bytes(so_far)
        assert len(worker.written((REQUEST,))) == new


def test_of_nobody_there_are_no_samples():
    samples, names = driver.together([])
    assert len(samples) == 0
    assert names == []


def failure(**fields):
    return Failure(**{"message": "m", "method": "GET", "path": "/shop/", **fields})


JOB = replace(ANY_JOB, base_url="http://127.0.0.1:8000")


def sentence(failure, **fields):
    return sentence_for(failure, Target.of(replace(JOB, **fields)))


def test_of_a_names_addresses_the_first_is_taken_that_takes_a_connection(monkeypatch, tmp_path):
    there, nowhere = str(tmp_path / "there"), str(tmp_path / "nowhere")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(there)
        listening.listen()
        for addresses, taken in (
            ([nowhere, there], there),
            ([there, nowhere], there),
            ([nowhere], nowhere),
        ):
            known = [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", one) for one in addresses]
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, known=known, **__: known)
            assert Target.of(JOB).address == taken


def test_statuses(golden):
    golden.cases(lambda status: sentence(failure(kind=Kind.HTTP_STATUS, status=status)))


def test_redirects(golden):
    redirect = {"kind": Kind.WRONG_BODY, "status": 302}
    golden.cases(lambda location: sentence(failure(location=location, **redirect)))


def test_of_several_processes_the_first_example_stays(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    kinds = (Kind.RESET, Kind.WRONG_BODY)
    for count, folder in enumerate(folders, start=1):
        folder.mkdir()
        recorder = SpoolRecorder(folder)
        for kind in kinds[:count]:
            recorder.example(recorder.index("buy", JOURNEY), kind, folder.name)
        recorder.close()
    (entry,) = driver.read_samples(*folders)[1]
    assert entry.examples == {Kind.RESET: "a", Kind.WRONG_BODY: "b"}


def test_values(golden):
    golden.values()


class CatchResponseError(Exception):
    """As Locust names the failure that a with-block declares."""
