"""The middleware of a target that already runs: it knows a run by its token, and counts."""

import tempfile

import pytest
from asgiref.sync import async_to_sync, markcoroutinefunction
from django.http import HttpResponse
from django.test import RequestFactory

from benchsuite.target.middleware import ASKED_HEADER, PROCESS_HEADER, RUN_HEADER, run_middleware

TOKEN, OTHER = "0123456789abcdef" * 2, "f" * 32


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def view(request):
    return HttpResponse("ok")


@markcoroutinefunction
async def view_later(request):
    return HttpResponse("ok")


def asked(answers, token="", **more):
    headers = {RUN_HEADER: token, **more} if token else more
    return answers(RequestFactory().get("/", headers=headers))


@pytest.mark.parametrize(
    "answers", [run_middleware(view), async_to_sync(run_middleware(view_later))]
)
def test_a_token_comes_back_and_its_requests_are_counted(answers):
    for token in (TOKEN, TOKEN, OTHER, TOKEN):
        assert asked(answers, token).headers[RUN_HEADER] == token
    count = asked(answers, TOKEN, **{ASKED_HEADER: "?"})
    assert count.headers[ASKED_HEADER].split()[0] == "3"
    assert count.headers[PROCESS_HEADER].isdecimal()


@pytest.mark.parametrize("token", ["", "../../etc/passwd", TOKEN.upper(), TOKEN + "a"])
def test_requests_without_one_are_left_alone(token, temporary):
    answer = asked(run_middleware(view), token, **{ASKED_HEADER: "?"})
    assert set(answer.headers) == {"Content-Type"}
    assert not list(temporary.iterdir())


def test_who_begins_to_count_ends_what_others_counted(temporary):
    answers = run_middleware(view)
    asked(answers, OTHER)
    assert asked(answers, TOKEN, **{ASKED_HEADER: "?"}).headers[ASKED_HEADER].split()[0] == "0"
    (folder,) = temporary.iterdir()
    assert [path.name for path in folder.iterdir()] == [TOKEN]


def test_in_a_folder_of_somebody_else_nothing_is_counted(temporary):
    asked(run_middleware(view), TOKEN)
    (folder,) = temporary.iterdir()
    folder.chmod(0o777)
    answer = asked(run_middleware(view), TOKEN, **{ASKED_HEADER: "?"})
    assert answer.headers[RUN_HEADER] == TOKEN
    assert ASKED_HEADER not in answer.headers
