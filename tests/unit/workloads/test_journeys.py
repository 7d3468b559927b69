"""Every journey of the target app, under Django's test client, against the views themselves."""

from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client
from django.urls import include, path

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.specs import DatabaseSpec
from benchsuite.target.models import Post
from benchsuite.workloads.base import Workload
from benchsuite.workloads.bench_app import BenchApp, BenchAppAsync
from benchsuite.workloads.cpu import Cpu, CpuAsync
from benchsuite.workloads.io_create import IoCreate, IoCreateAsync
from benchsuite.workloads.io_read import IoRead, IoReadAsync
from benchsuite.workloads.plain import Plain, PlainAsync


def liar(request: HttpRequest, name: str) -> HttpResponse:
    """Answers everything promptly, plausibly and wrong."""
    if request.GET.get("size"):
        return JsonResponse({"size": int(request.GET["size"]), "sum": 1})
    if request.method == "POST":
        return JsonResponse({"id": "x" * 36, "title": "another", "content": "one"}, status=201)
    if name.startswith("io_read"):
        return JsonResponse({"count": 7, "posts": []})
    return HttpResponse(b"0.0001")


urlpatterns = [path("bench/", include("benchsuite.target.urls")), path("lies/<name>/", liar)]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db(transaction=True)]

PAIRS: list[tuple[type[Workload], type[Workload]]] = [
    (Plain, PlainAsync),
    (Cpu, CpuAsync),
    (IoCreate, IoCreateAsync),
    (IoRead, IoReadAsync),
    (BenchApp, BenchAppAsync),
]
ALL = [one for pair in PAIRS for one in pair]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
    return Client(raise_request_exception=True)


def made(workload: type[Workload]) -> Workload:
    return workload(size=1000) if "size" in workload.options else workload()


@pytest.mark.parametrize("workload", ALL)
def test_the_journey_accepts_the_view(workload: type[Workload], client: Client) -> None:
    made(workload).journey(client)


@pytest.mark.parametrize("workload", ALL)
def test_the_journey_finds_a_wrong_answer(workload: type[Workload], client: Client) -> None:
    one = made(workload)
    for name in ("path", "_url"):
        if hasattr(one, name):
            setattr(one, name, getattr(one, name).replace("/bench/", "/lies/"))
    with pytest.raises(AnswerError, match="expected"):
        one.journey(client)


@pytest.mark.parametrize("workload", ALL)
def test_the_views_are_not_there_outside_a_run(
    workload: type[Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHSUITE_RUN", raising=False)
    with pytest.raises(AnswerError, match="404"):
        made(workload).journey(Client())


@pytest.mark.parametrize("pair", PAIRS)
def test_twins_differ_in_their_path_only(pair: tuple[type[Workload], type[Workload]]) -> None:
    one, twin = pair
    assert twin.name == f"{one.name}_async"
    assert twin.path == one.path.replace(one.name, twin.name)  # type: ignore[attr-defined]
    assert twin.journey is one.journey
    assert made(twin).settings == made(one).settings


@pytest.mark.parametrize("workload", [IoCreate, IoCreateAsync])
def test_io_create_leaves_one_row_a_journey(workload: type[Workload], client: Client) -> None:
    one = workload()
    for _ in range(3):
        one.journey(client)
    assert sorted(Post.objects.values_list("title", flat=True)) == [
        "Written 1",
        "Written 2",
        "Written 3",
    ]


@pytest.mark.parametrize("rows", [0, 3, 25, 60])
def test_io_read_checks_the_count_it_was_seeded_with(rows: int, client: Client) -> None:
    found = IoRead().prepare(DatabaseSpec(rows=rows))
    IoRead(**found["options"]).journey(client)
    IoReadAsync(**found["options"]).journey(client)
    Post.objects.create(title="one more", content="than there should be")
    with pytest.raises(AnswerError, match=f"a count of {rows} rows, and got {rows + 1}"):
        IoRead(**found["options"]).journey(client)
    IoRead().journey(client)


def test_io_read_takes_kept_rows_only_when_they_are_as_many_as_asked_for() -> None:
    Post.objects.create(title="mine", content="mine")
    assert IoRead().inspect(DatabaseSpec(use="keep", rows=1)) == {"options": {"rows": 1}}
    assert Post.objects.count() == 1


@pytest.mark.parametrize("size", [-1, 10**8 + 1, "many"])
def test_a_size_out_of_bounds_is_wrong_usage(size: int | str) -> None:
    with pytest.raises(UsageError, match="size"):
        Cpu(size=size)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000])
def test_the_formula_is_the_sum(size: int, client: Client) -> None:
    assert Cpu(size=size)._right["sum"] == sum(i * i for i in range(size))
