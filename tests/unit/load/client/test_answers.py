"""What an answer stands for: its kind of failure, the refusal's words, its sample."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.exceptions import AnswerError, StatusError
from benchsuite.core.samples import JOURNEY, PROCESS_SHIFT, RECORD, REQUEST, Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.client import target as recording
from benchsuite.load.client.failures import (
    Failure,
    kind_of_rejected,
    kind_of_responder,
    kind_of_status,
    leads_to_log_in,
)
from benchsuite.load.client.failures import refusal_sentence as sentence_for
from benchsuite.load.client.target import OTHER_NAMES, SpoolRecorder, Target
from benchsuite.load.job import SAMPLES_FILE, Job
from benchsuite.load.parent import driver


@pytest.mark.parametrize(
    "location",
    [
        *("/login", "/accounts/login/?next=/", "/Log-In/", "/log_in/", "/users/sign_in"),
        *("/signin/", "https://id.example/realms/x/login?a=1", "/willkommen/?next=%2Fshop%2F"),
        *("/willkommen/?lang=de&next=/shop/", "/LoginForm.jsp", "/userlogin", "/wp-login.php"),
    ],
)
def test_log_in_pages_are_known_by_their_address(location):
    assert leads_to_log_in(location)


@pytest.mark.parametrize(
    "location",
    [
        *("/", "/shop/next/", "/?contextnext=1", "//login.example/a/"),
        *("/catalog-index/", "/blog-info/", "/blogindex/", "/design-inspiration/", "/signing/"),
    ],
)
def test_other_addresses_are_not(location):
    assert not leads_to_log_in(location)


def came(status: int, location: str = "", **more: Any) -> Any:
    headers = {"Location": location} if location else {}
    return SimpleNamespace(status_code=status, headers=headers, **more)


@pytest.mark.parametrize(
    ("answer", "error", "kind"),
    [
        (came(302, "/login/"), AssertionError(), Kind.LOG_IN),
        (came(302, "/shop/"), StatusError("302"), Kind.REDIRECTED),
        (came(304), StatusError("304"), Kind.HTTP_STATUS),
        (came(200), StatusError("200"), Kind.HTTP_STATUS),
        (came(200), AnswerError("no price"), Kind.WRONG_BODY),
        (came(200, redirect_chain=[("/login/", 302)]), AnswerError("no price"), Kind.LOG_IN),
        (came(200, redirect_chain=[("/shop/", 301)]), AnswerError("no price"), Kind.WRONG_BODY),
        (came(200, history=[came(302, "/login/")]), AnswerError("no price"), Kind.LOG_IN),
        (None, AnswerError("no such message"), Kind.WRONG_BODY),
    ],
)
def test_what_a_journey_calls_wrong(answer, error, kind):
    assert kind_of_rejected(answer, error) is kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, b"<p>CSRF verification failed. Request aborted.</p>", Kind.CSRF),
        (403, b"Forbidden", Kind.HTTP_STATUS),
        (500, b"CSRF", Kind.HTTP_STATUS),
    ],
)
def test_refusals(status, body, kind):
    found, words = kind_of_status(status, body)
    assert found is kind
    assert f"status {status}" in words


def test_each_kind_has_words_of_its_own():
    assert len({kind.words for kind in Kind}) == len(Kind)
    assert Kind.LOG_IN.words == "redirected to log-in"


@pytest.mark.parametrize(
    ("wanted", "found", "may_lack"),
    [("token", "token", False), ("token", None, True), ("", "another", False)],
)
def test_the_runs_own_server_answers(wanted, found, may_lack):
    assert kind_of_responder(wanted, found, may_lack=bool(may_lack)) is None


@pytest.mark.parametrize("found", ["another", None])
def test_another_server_answers(found):
    judged = kind_of_responder("token", found, may_lack=found is not None)
    assert judged is not None
    assert judged[0] is Kind.WRONG_RESPONDER


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
    path = tmp_path / SAMPLES_FILE
    path.write_bytes(packed + packed[:10])
    with path.open("rb") as file:
        assert len(driver.read_on(file)) == 1
        with path.open("ab") as more:
            more.write(packed[10:])
        assert len(driver.read_on(file)) == 1
        assert len(driver.read_on(file)) == 0


def test_an_empty_folder_has_no_samples(tmp_path):
    samples, names = driver.read_samples(tmp_path)
    assert len(samples) == 0
    assert names == []


def failure(**fields: object) -> Failure:
    return Failure(**{"message": "m", "method": "GET", "path": "/shop/", **fields})  # type: ignore[arg-type]


def sentence(failure: Failure, **fields: Any) -> str:
    job = Job(
        base_url="http://127.0.0.1:8000",
        run_header="",
        workload_class="",
        workload=WorkloadSpec(),
        load=LoadProfile(),
        spool="",
    )
    return sentence_for(failure, replace(Target.of(job), **fields))


def test_statuses(golden):
    golden.cases(lambda status: sentence(failure(kind=Kind.HTTP_STATUS, status=status)))


def test_redirects(golden):
    def case(location):
        told = sentence(failure(kind=Kind.WRONG_BODY, status=302, location=location))
        return told

    golden.cases(case)


@pytest.mark.parametrize(
    ("given", "session", "words"),
    [
        ("as eve (created: no permissions)", (True, False), "--login=USER:superuser or :staff"),
        ("as eve (found in the data: superuser)", (True, True), "something other than rights"),
        (
            "with --cookie sid=…",
            (False, False),
            "a session of yours is not in the throw-away database",
        ),
    ],
)
def test_advice_for_who_is_refused_looks_at_what_was_given(given, session, words):
    logged_in, superuser = session
    for answer in (
        failure(kind=Kind.HTTP_STATUS, status=403),
        failure(kind=Kind.WRONG_BODY, status=302, location="/accounts/login/?next=/shop/"),
    ):
        told = sentence(answer, given=given, logged_in=logged_in, superuser=superuser)
        assert f"asked {given}" in told
        assert words in told
        assert "name one with" not in told
    socket = failure(kind=Kind.HTTP_STATUS, status=403, method="WebSocket")
    assert f"refuses it, as who asks {given}" in sentence(socket, given=given)
    assert "nobody is signed in" in sentence(socket)


def test_a_wrong_body_shows_how_it_begins_once():
    wrong = failure(
        kind=Kind.WRONG_BODY, status=200, message="no price in the page", body=b"x" * 100
    )
    told = sentence(wrong)
    assert told == (
        "GET /shop/ answered 200, but the journey says: no price in the page; its body begins with "
        f"{b'x' * 60!r}."
    )
    shown = failure(kind=Kind.WRONG_BODY, status=200, message="got b'KO'", body=b"KO")
    assert sentence(shown).count("b'KO'") == 1


def test_another_process():
    other = failure(kind=Kind.WRONG_RESPONDER, status=200)
    assert "another process answers on 127.0.0.1:8000" in sentence(other)


@pytest.mark.parametrize(
    ("kind", "words"),
    [(Kind.READ_TIMEOUT, "more time with --timeout"), (Kind.RESET, "the server's log may say why")],
)
def test_no_answer(kind, words):
    told = sentence(failure(kind=kind, message="it broke"))
    assert told.startswith("GET /shop/ on 127.0.0.1:8000 failed: it broke; ")
    assert words in told


def test_of_several_processes_the_first_example_stays(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder, kinds in zip(folders, ((0,), (0, 1)), strict=True):
        folder.mkdir()
        recorder = SpoolRecorder(folder)
        for kind in kinds:
            failure = (Kind.RESET, Kind.WRONG_BODY)[kind]
            recorder.example(recorder.index("buy", JOURNEY), failure, folder.name)
        recorder.close()
    (entry,) = driver.read_all_samples(folders)[1]
    assert entry.examples == {Kind.RESET: "a", Kind.WRONG_BODY: "b"}
