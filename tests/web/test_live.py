"""Pages of what is under way: drawn from the journal of a command, which here is this process."""

import asyncio
import json
import os
from contextlib import closing
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.urls import reverse
from django.utils import translation

from benchsuite import asgi
from benchsuite.core.specs import LoadProfile
from benchsuite.load.job import Tick
from benchsuite.management.session import Recording
from benchsuite.models import Run, StudyRun
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.system import lock
from benchsuite.system.journal import Journal
from benchsuite.views import live
from tests.factories import make_run, make_running_run
from tests.golden import words_of
from tests.study_factories import make_study_run, write
from tests.tuning_factories import make_tuning, searched
from tests.web.conftest import TOKEN

LOAD = LoadProfile(users=10, warmup_s=1.0, duration_s=5.0)
ELSEWHERE = "far:0123456789ab:boot:4026531836:1:1"


class Terminal:
    """What a command shows beside it."""

    title, place, total, left_s = "uwsgi <1>", 2, 3, 75.0

    def __getattr__(self, name):
        return lambda *words: None


@pytest.fixture
def opened():
    with closing(Journal(uuid4())) as made:
        yield made


@pytest.fixture
def run(opened):
    """Its server failed to answer 5 of 30 in the second second."""
    made = make_running_run("uwsgi")
    Run.objects.filter(pk=made.pk).update(batch=live.journal.of_process(os.getpid()).batch)
    made.refresh_from_db()
    recording = Recording(Terminal(), opened, made, LOAD)
    recording.stage("starting")
    for elapsed_s, requests, failures in ((0.01, 0, 0), (1.0, 20, 0), (2.0, 50, 5)):
        counted = {"users": 10, "requests": requests, "failures": failures, "rate": 0.0}
        p50_s, p95_s = (0.02, 0.04) if requests else (None, None)
        seen = Tick(elapsed_s=elapsed_s, p50_s=p50_s, p95_s=p95_s, cpu_percent=88.8, **counted)
        recording.tick(seen)
    return made


def address(kind, pk):
    return reverse("benchsuite:live", args=[kind, pk])


def look(client, kind, pk, **given):
    answer = client.get(address(kind, pk), given)
    assert answer.status_code == 200, answer.content
    assert "no-store" in answer["Cache-Control"]
    return json.loads(answer.content)


SECONDS = [
    [2, 0.01, None, None, None, 0, 88.8, False],
    [2, 1.0, 20.2, 0.02, 0.04, 0, 88.8, False],
    [2, 2.0, 25.0, 0.02, 0.04, 5, 88.8, True],
]


def test_all_seconds_come_and_then_those_that_are_new(client, run):
    seen = look(client, "run", run.pk)
    assert (seen["first"], seen["since"], seen["seconds"]) == (0, 0, SECONDS)
    again = {"journal": seen["journal"], "since": 2}
    assert look(client, "run", run.pk, **again)["seconds"] == SECONDS[2:]
    assert look(client, "run", run.pk, **again | {"since": "-1"})["seconds"] == SECONDS
    assert look(client, "run", run.pk, **again | {"since": "²"})["seconds"] == SECONDS
    assert look(client, "run", run.pk, since=3)["seconds"] == SECONDS, "of another command"
    assert look(client, "batch", run.batch)["seconds"] == SECONDS


def test_its_page_says_where_it_is_and_works_without_scripts(golden, soup, run):
    page = soup(f"/results/{run.pk}/")
    golden(words_of(page, "section.live"), replace={r"1 min \d+ s left": "1 min <n> s left"})
    assert page.select_one("noscript meta[http-equiv=refresh]")
    assert not page.select("section.live[data-socket]"), "WSGI has no WebSockets"
    assert "Delete" not in page.text


def test_a_batch_is_followed_until_its_command_has_ended(client, soup, opened, run, monkeypatch):
    for server, rate in (("granian-wsgi", 700), ("waitress", 300)):
        ended = make_run(server, batch=run.batch, rate=rate)
        opened.write(end=str(ended.pk), title=server, place=1, words="so much", left_s=9.0)
    page = soup(f"/results/compare/?batch={run.batch}")
    assert "granian-wsgi answered most" in page.select_one(".headline").text
    last = Run.objects.get(server="granian-wsgi").get_absolute_url()
    assert [one["href"] for one in page.select(".live tbody a")][-1:] == [last]
    Run.objects.filter(pk=run.pk).update(status="finished", owner="")  # between two runs
    monkeypatch.setattr(live.journal, "claims", lambda: [lock.Claim(1, os.getpid())])
    assert look(client, "batch", run.batch)["seconds"] == SECONDS
    assert look(client, "run", run.pk) == {"over": True}
    (row,) = live.under_way()
    assert (row.title, row.url) == ("io_read", f"/results/compare/?batch={run.batch}")
    opened.close()
    assert look(client, "batch", run.batch) == {"over": True}
    assert not soup(f"/results/compare/?batch={run.batch}").select(".live")
    assert live.under_way() == []


def test_a_killed_command_is_over(client, soup, opened, run):
    gone = lock.owner_name().rpartition(":")[0] + ":1"  # the number belongs to another one by now
    Run.objects.update(owner=gone)
    opened.close()
    assert look(client, "run", run.pk) == {"over": True}
    assert "ended unexpectedly" in soup(f"/results/{run.pk}/").select_one(".card").text


@pytest.mark.parametrize(
    ("owner", "words"),
    [
        (ELSEWHERE, "Only a console of the user who runs it on far draws its seconds."),
        ("", "Only a console of the user who runs it on "),
    ],
)
def test_one_that_can_not_be_read_says_where_it_is_drawn(client, soup, owner, words):
    made = make_running_run("uwsgi")
    Run.objects.update(owner=owner or lock.owner_name())
    page = soup(f"/results/{made.pk}/")
    assert words in page.select_one("section.live").text
    assert "uwsgi is being measured" in page.select_one(".headline").text
    assert words in look(client, "run", made.pk)["now"]
    assert not look(client, "batch", made.batch)["seconds"]
    (row,) = live.under_way()
    assert row.follower is None
    assert "io_read" in json.loads(client.get("/results/under-way/").content)["html"]


def test_commands_elsewhere_are_not_told_by_their_numbers(run, monkeypatch):
    """In containers many have the same one."""
    monkeypatch.setattr(live.journal, "claims", lambda: [lock.Claim(1, os.getpid())])
    for host in ("far", "near"):
        other = make_running_run("waitress")
        owner = f"{host}:0123456789ab:boot:4026531836:{os.getpid()}:1"
        Run.objects.filter(pk=other.pk).update(owner=owner)
        seen = live.Watch("batch", other.batch).look()
        assert (seen["seconds"], "journal" in seen) == ([], False)
    drawn = {row.url: row.follower is not None for row in live.under_way()}
    assert len(drawn) == 3
    assert [url for url, is_drawn in drawn.items() if is_drawn] == [
        f"{reverse('benchsuite:compare')}?batch={run.batch}"
    ]


def test_tunings_and_studies_are_followed_by_their_commands(
    client, soup, opened, run, tmp_path, settings
):
    tuning = make_tuning(searched(12), status="running", made_by=lock.owner_name())
    opened.write(end=str(run.pk), title="uwsgi", place=1, words="so much", left_s=9.0)
    page = soup(tuning.get_absolute_url())
    (headline,) = page.select(".headline")
    assert headline.text.startswith(tuning_report(tuning).answer.headline)
    assert " of 15 min are used." in headline.text
    settings.BENCHSUITE = settings.BENCHSUITE | {"STUDIES": [str(write(tmp_path))]}
    make_study_run()
    study = make_study_run(ended=False, days=1)
    StudyRun.objects.filter(pk=study.pk).update(status="running", owner=lock.owner_name())
    page = soup("/results/studies/shop/")
    assert page.select_one("section.live")["data-url"] == address("study", study.pk)
    urls = {tuning.get_absolute_url(), study.get_absolute_url()}
    assert {row.url for row in live.under_way()} <= urls


@pytest.mark.usefixtures("opened")
def test_before_its_first_run_a_command_is_being_prepared(client, soup, monkeypatch):
    monkeypatch.setattr(live.journal, "claims", lambda: [lock.Claim(1, os.getpid())])
    tuning = make_tuning(searched(3), status="running", made_by=lock.owner_name())
    page = soup(tuning.get_absolute_url())
    assert "Its first run is being prepared." in page.select_one("section.live").text
    assert page.select_one("section[aria-label=Answer]")
    rows = json.loads(client.get("/results/under-way/").content)["html"]
    assert tuning.get_absolute_url() in rows
    assert "Run 0" not in str(page) + rows


@pytest.mark.parametrize("kind", ["run", "batch", "study", "tuning", "wizard", "%00"])
def test_what_there_is_not_is_not_found(client, kind):
    for pk in (str(uuid4()), "1", "%00", ""):
        assert client.get(f"/results/live/{kind}/{pk}/").status_code == 404


def test_nobody_else_sees_it(run):
    for path in (address("run", run.pk), "/results/under-way/"):
        assert Client(HTTP_HOST="localhost").get(path).status_code == 403


async def application(scope, receive, send):
    """That of the project, which has a WebSocket of its own."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": json.dumps({"theirs": asgi.SOCKET in scope})})


def told(path, **headers):
    """The first message; None where nobody is let in."""
    given = {"host": "localhost", "origin": "http://localhost", **headers}
    pairs = [(name.encode(), value.encode()) for name, value in given.items()]

    async def ask():
        socket = WebsocketCommunicator(asgi.live(application), path, headers=pairs)
        connected, _ = await socket.connect(timeout=10)
        message = await socket.receive_json_from(timeout=10) if connected else None
        await socket.disconnect()
        await sync_to_async(close)()
        return message

    def close():
        """The database of that thread, in which tests that have none run later."""
        BaseDatabaseWrapper.close(connections["default"])

    return asyncio.run(ask())


@pytest.mark.django_db(transaction=True)
def test_a_websocket_says_the_same_to_the_same_people(run):
    path, cookie = f"{address('run', run.pk)}?since=0", f"benchsuite-0={TOKEN}"
    message = told(path, cookie=cookie)
    assert message["seconds"] == SECONDS
    assert told(path) is None
    assert told(path, cookie=cookie, origin="http://evil.example") is None
    assert told(path, cookie=cookie, origin="") is None
    assert told(path, cookie=cookie, host="evil.example", origin="http://evil.example") is None
    assert told(address("run", uuid4()), cookie=cookie) is None
    assert told("/theirs/") == {"theirs": False}


@pytest.mark.django_db(transaction=True)
def test_a_websocket_below_a_language_says_the_same(settings, monkeypatch, opened, run):
    """Its links keep the language."""
    opened.write(end=str(run.pk), title="uwsgi", place=1, words="so much", left_s=9.0)
    settings.ROOT_URLCONF = "tests.web.language_urls"
    settings.FORCE_SCRIPT_NAME = "/app"
    settings.MIDDLEWARE = ["django.middleware.locale.LocaleMiddleware"]
    monkeypatch.setattr(asgi.Live, "handler", ASGIHandler())
    with translation.override("de"):
        path = address("batch", run.batch)
    assert path.startswith("/de/")
    message = told(f"/app{path}", cookie=f"benchsuite-0={TOKEN}")
    assert message["seconds"] == SECONDS
    assert f'href="/app/de/results/{run.pk}/"' in message["ended"]


def test_a_command_may_begin_while_others_are_looked_at(monkeypatch):
    """Browsers are answered in threads."""

    class Beginning:
        @property
        def is_open(self):
            return bool(live._followers.setdefault("another", live.Follower(self)))

    monkeypatch.setattr(live, "_followers", {"first": live.Follower(Beginning())})
    assert live._follower(None) is None
