"""Every journey of the target app, under Django's test client, against the views themselves."""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.http import HttpResponse, JsonResponse
from django.test import Client
from django.urls import include, path

from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec
from benchsuite.target.models import Comment, Post
from benchsuite.target.seed import seed
from benchsuite.workloads import BUILTIN, pages
from benchsuite.workloads.mixed import Mixed
from benchsuite.workloads.pages import Cpu, CpuAsync, IoCreate, IoJoin, IoLock, IoRead

pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db(transaction=True)]


def liar(request, name):
    """Answers everything promptly, plausibly and wrong."""
    if request.GET.get("size"):
        return JsonResponse({"size": int(request.GET["size"]), "sum": 1})
    if request.GET.get("row"):
        return JsonResponse({"number": int(request.GET["row"]), "text": "one", "likes": 0})
    if request.method == "POST" and name.startswith("io_create"):
        return JsonResponse({"id": "x" * 36, "title": "another", "content": "one"}, status=201)
    if name.startswith("io_read"):
        return JsonResponse({"count": 7, "posts": []})
    return HttpResponse(b"0.0001")


urlpatterns = [path("bench/", include("benchsuite.target.urls")), path("lies/<name>/", liar)]


def loaded(name):
    found = resolve_name(BUILTIN[name])
    return found


ASKED_ALONE = ("upstream", "layer")  # need a service, workers
TWINS = [name for name in BUILTIN if f"{name}_async" in BUILTIN and name not in ASKED_ALONE]
PAIRS = [(loaded(name), loaded(f"{name}_async")) for name in TWINS]
ALL = [work for pair in PAIRS for work in pair]


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
    return Client(raise_request_exception=True)


def made(workload):
    return workload(size=1000) if "size" in workload.options else workload()


@pytest.mark.parametrize("workload", ALL)
def test_the_journey_accepts_the_view(workload, client):
    seed(1, comments=True)
    made(workload).journey(client)


@pytest.mark.parametrize("workload", ALL)
def test_the_journey_finds_a_wrong_answer(workload, client):
    one = made(workload)
    for name in ("path", "_url"):
        if hasattr(one, name):
            setattr(one, name, getattr(one, name).replace("/bench/", "/lies/"))
    with pytest.raises(AnswerError, match="expected"):
        one.journey(client)


@pytest.mark.parametrize("workload", ALL)
def test_the_views_are_not_there_outside_a_run(workload, monkeypatch):
    monkeypatch.delenv("BENCHSUITE_RUN", raising=False)
    with pytest.raises(AnswerError, match="404"):
        made(workload).journey(Client())


@pytest.mark.parametrize("pair", PAIRS)
def test_twins_differ_in_their_path_only(pair):
    one, twin = pair
    assert twin.name == f"{one.name}_async"
    assert twin.path == one.path.replace(one.name, twin.name)  # type: ignore[attr-defined]
    assert twin.journey is one.journey
    assert made(twin).settings == made(one).settings


@pytest.mark.parametrize("workload", [IoCreate, loaded(IoCreate.name + "_async")])
def test_io_create_leaves_one_row_a_journey(workload, client):
    one = workload()
    for _ in range(3):
        one.journey(client)
    titles = sorted(Post.objects.values_list("title", flat=True))
    assert titles == ["Written 1", "Written 2", "Written 3"]


@pytest.mark.parametrize("rows", [0, 3, 25, 60])
def test_io_read_checks_the_count_it_was_seeded_with(rows, client):
    found = IoRead().prepare(DatabaseSpec(rows=rows))
    IoRead(**found["options"]).journey(client)
    loaded("io_read_async")(**found["options"]).journey(client)
    Post.objects.create(title="one more", content="than there should be")
    with pytest.raises(AnswerError, match=f"a count of {rows} rows, and got {rows + 1}"):
        IoRead(**found["options"]).journey(client)
    IoRead().journey(client)


@pytest.mark.parametrize("workload", [IoJoin, loaded(IoJoin.name + "_async")])
def test_io_join_takes_any_row_and_misses_none(workload, client):
    one = workload(**workload().prepare(DatabaseSpec(rows=3))["options"])
    assert {one.url()[0] for _ in range(100)} == {1, 2, 3}
    for _ in range(10):
        one.journey(client)
    Comment.objects.all().delete()
    with pytest.raises(AnswerError, match="404"):
        one.journey(client)


@pytest.mark.parametrize("workload", [IoLock, loaded(IoLock.name + "_async")])
def test_io_lock_counts_what_is_stored(workload, client):
    seed(4, comments=True)
    one = workload(rows=4, among=2)
    before = one.count(DatabaseSpec())["completions"]
    for _ in range(10):
        one.journey(client)
    assert (before, one.count(DatabaseSpec())["completions"]) == (0, 10)
    assert {row.number for row in Comment.objects.filter(likes__gt=0)} <= {1, 2}


def test_rows_that_can_not_be_taken_are_told():
    with pytest.raises(DatabaseError, match="--rows=1 or more"):
        IoJoin().prepare(DatabaseSpec(rows=0))
    with pytest.raises(DatabaseError, match="SQLite can't; add --database=postgresql"):
        IoLock().prepare(DatabaseSpec(rows=1))
    seed(2, comments=True)
    seed(3)
    assert Comment.objects.count() == 0, "posts and comments belong together"


def test_an_option_out_of_bounds_is_wrong_usage(golden):
    golden.cases(lambda workload, **options: workload(**options), refuses=UsageError)


@pytest.mark.parametrize("path", ["get/?size=x", "sleep/?seconds=nan", "sleep/", "io_join/?row=-1"])
@pytest.mark.parametrize("twin", ["", "_async"])
def test_what_is_out_of_bounds_is_refused_by_the_view(path, twin, client):
    response = client.get(f"/bench/{path.replace('/', f'{twin}/', 1)}")
    assert response.status_code == 400
    assert "must be a" in response.json()["error"]


def test_cpu_is_calibrated_when_seconds_are_given(client, monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    assert Cpu(size=5).prepare(DatabaseSpec()) is None
    found = CpuAsync(seconds=0.01).prepare(DatabaseSpec())
    assert found == Cpu(seconds=0.01).inspect(DatabaseSpec()), "twins do the same work"
    assert 1000 < found["options"]["size"] < 10**7
    Cpu(seconds=0.01, **found["options"]).journey(client)
    monkeypatch.setattr(pages, "MAX_SIZE", 1000)
    with pytest.raises(DatabaseError, match="give fewer seconds"):
        Cpu(seconds=0.01, size=1).prepare(DatabaseSpec())
    with pytest.raises(UsageError, match="give its size"):
        Mixed(shares="1 cpu seconds=0.1 size=1 + 1 plain")


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000])
def test_the_formula_is_the_sum(size, client):
    assert Cpu(size=size)._right["sum"] == sum(i * i for i in range(size))


def test_rows_that_are_kept_must_be_as_many_as_asked_for():
    database = DatabaseSpec(rows=3)
    for work in (IoRead(rows=3), IoJoin(rows=3)):
        assert work.prepare(database) == work.inspect(database) == {"options": {"rows": 3}}
    assert Post.objects.count() == 3
    with pytest.raises(DatabaseError, match=r"has 3 rows, not the requested 5; give --rows=3, or"):
        IoRead().inspect(DatabaseSpec(rows=5))
    Comment.objects.all().delete()
    with pytest.raises(DatabaseError) as none:
        IoJoin(rows=3).inspect(database)
    assert str(none.value) == (
        "The kept database has 0 comments, not the requested 3; run: python manage.py seedbench "
        "--rows=3 --comments"
    )


DOCS = Path(__file__).parent.parent.parent.parent / "docs" / "workloads.md"


@pytest.mark.parametrize("name", BUILTIN)
def test_each_workload_is_found_by_its_name(name):
    assert loaded(name).name == name
    assert loaded(name).summary


@pytest.mark.parametrize("name", BUILTIN)
def test_each_workload_has_a_section_with_its_options(name):
    sections = dict(re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", DOCS.read_text(), re.M | re.S))
    section = sections[name.removesuffix("_async")]
    assert f"`{name}`" in section
    for option, default in loaded(name).options.items():
        assert re.search(rf"^\| `{option}` \| `{default}` \|", section, re.M), option


def test_no_option_is_documented_that_does_not_exist():
    options = set(re.findall(r"^\| `([a-z_]+)` \| `[^|]*` \|", DOCS.read_text(), re.M))
    assert options == {option for name in BUILTIN for option in loaded(name).options}
