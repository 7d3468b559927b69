"""Whatever stands in a file or in the database, no page and no export breaks.

Stored runs, studies and tunings are changed in every kind of place: as files, which are refused
with the place or shown, and as rows, which are shown as unreadable. The sample is drawn with a
seed, and `MUTATIONS=5000` draws a larger one.
"""

import copy
import json
import os
import random
import re
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction

from benchsuite import models as stored
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.store.interchange import SEAL, sealed
from tests.factories import WEAK, make_failed_run, make_run
from tests.flames import make_profiled
from tests.golden import UUID
from tests.socket_factories import make_echo_run, make_idle_run
from tests.study_factories import make_study_run, write
from tests.tuning_factories import make_tuning, searched

MOST = int(os.environ.get("MUTATIONS", "24"))

EXPORT = "/results/export/?format=json"
SHORT = {"rate": 40.0, "warmup_s": 1.0, "duration_s": 3.0}

Steps = tuple[str | int, ...]

GONE = object()


def deep(levels):
    found = []
    for _ in range(levels):
        found = [found]
    return found


CHANGES = {
    "dropped": lambda value: GONE,
    "null": lambda value: None,
    "text": lambda value: "x" if value != "x" else "y",
    "empty": lambda value: "",
    "long": lambda value: "x" * 500_000,
    "control": lambda value: "\x1b[31m\x00",
    "zero": lambda value: 0,
    "negative": lambda value: -5,
    "huge": lambda value: 10**30,
    "large": lambda value: 2**31 - 1,
    "fraction": lambda value: 0.1,
    "nan": lambda value: float("nan"),
    "infinite": lambda value: float("inf"),
    "true": lambda value: True,
    "list": lambda value: [],
    "lists": lambda value: [[1], {"a": None}],
    "object": lambda value: {},
    "unknown": lambda value: {"x": 1, "/": [None]},
    "swapped": lambda value: list(value) if isinstance(value, dict) else {"0": value},
    "twice": lambda value: [*value, *value] if isinstance(value, list) else value,
    "half": lambda value: value[: len(value) // 2] if isinstance(value, list | str) else value,
    "deep": lambda value: deep(100),
    "zoneless": lambda value: "2026-01-31T12:00:00",
}


@pytest.fixture
def admin(admin, settings, tmp_path):
    settings.BENCHSUITE = {**settings.BENCHSUITE, "STUDIES": [str(write(tmp_path))]}
    return admin


def make_everything():
    """Small ones of every kind."""
    run = make_run("uwsgi", findings=(WEAK,), failed_share=0.1, packages={"django": "5"}, **SHORT)
    make_profiled(run)
    make_failed_run("uvicorn")
    make_echo_run(lost=2, closes={1001: 1})
    make_idle_run()
    make_study_run(only={"delay": ("0",)}, change=lambda cell, start: SHORT)
    make_tuning(searched(8))
    times = {"request_s": 0.1, "queries": 2.0, "query_s": 0.01, "connecting_s": 0.0}
    shape = {"query": "SELECT", "place": "a.py:1", "times": 2, "query_s": 0.1}
    page = {"page": "shop", "requests": 3, **times, "shapes": [shape]}
    diagnosis = {"pages": [page], "paused_s": 0.1, "longest_pause_s": 0.1, "cpu_s": 1.0}
    batch = Run.objects.exclude(pk=run.pk).first().batch
    Run.objects.filter(pk=run.pk).update(diagnosis=diagnosis, batch=batch)


def addresses():
    runs = list(Run.objects.order_by("pk").values_list("pk", flat=True))
    yield from ("/results/", "/results/configurations/?sort=-goodput", "/results/studies/")
    yield from ("/results/tune/", "/results/export/?format=csv", "/results/export/?format=json")
    yield from (f"/results/{pk}/" for pk in runs)
    yield from (f"/results/{pk}/{slug}.csv" for pk in runs[:2] for slug in ("goodput", "cpu"))
    yield f"/results/compare/?forced=1&runs={','.join(map(str, runs))}"
    yield from (f"/results/delete/?runs={pk}" for pk in runs[:1])
    for name in StudyRun.objects.values_list("name", flat=True).distinct():
        if "/" not in name:
            yield from (f"/results/studies/{name}/{form}" for form in ("", "?format=md"))
    for pk in Tuning.objects.values_list("pk", flat=True):
        yield from (f"/results/tune/{pk}/{form}" for form in ("", "?format=md"))
    for name in ("run", "studyrun", "tuning"):
        yield f"/admin/benchsuite/{name}/"
    for model in (Run, StudyRun, Tuning):
        for pk in model._default_manager.order_by("pk").values_list("pk", flat=True)[:1]:
            yield f"/admin/benchsuite/{model._meta.model_name}/{pk}/change/"


MAY_LACK = re.compile(r"/results/(studies|tune)/.|\.csv$")
"""Where a sentence may stand instead: on a chart that is not there, on why nothing can be read."""


def check_pages(client):
    """All of them answer; returns what they show."""
    content = []
    for address in addresses():
        answer = client.get(address)
        allowed = (200, 400, 404) if MAY_LACK.search(address) else (200,)
        assert answer.status_code in allowed, address
        content.append(answer.getvalue().decode())
    return "\n".join(content)


def places(value, here=()):
    yield here
    if isinstance(value, dict):
        for name, part in value.items():
            yield from places(part, (*here, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*here, number))


def kind(place):
    """Of a place: that of all members of a list is the same."""
    return ".".join("[]" if isinstance(one, int) else one for one in place)


def changed(objects, place, change):
    """The same with one change, sealed as its writer would have."""
    objects = copy.deepcopy(objects)
    *way, last = place
    holder = objects
    for step in way:
        holder = holder[step]
    value = change(holder[last])
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value
    seal(objects)
    return objects


def seal(value):
    """Anew, wherever there was one."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            seal(part)
    if isinstance(value, dict) and {"sha256", "environment"} <= set(value):
        rows = {name: part for name, part in value.items() if name not in SEAL}
        value["sha256"] = sealed(rows)["sha256"]


def test_a_file_is_refused_with_its_place_or_shown(admin, tmp_path):
    make_everything()
    file = tmp_path / "runs.json"
    call_command("dumpbench", str(file))
    objects = json.loads(file.read_text())
    for model in (StudyRun, Tuning, Run, stored.Environment, stored.Software):
        model.objects.all().delete()
    sample, by_kind = random.Random(23), dict[str, list[Steps]]()
    for place in places(objects):
        if len(place) > 1 and place[1] in ("stored", "made_for"):
            by_kind.setdefault(kind(place), []).append(place)
    pairs = [(one, name) for one in by_kind for name in CHANGES]
    refused = 0
    for one, name in sample.sample(pairs, MOST):
        first, *rest = sample.choice(by_kind[one])
        pair = [objects[first], objects[-1 if first == 0 else 0]]
        file.write_text(json.dumps(changed(pair, (0, *rest), CHANGES[name])))
        with undone(f"{one} {name}"):
            message = ""
            try:
                call_command("loadbench", str(file), stdout=StringIO())
            except CommandError as error:
                message = str(error)
            refused += bool(message)
            if message:
                assert re.match(rf"{re.escape(str(file))}: runs\[0\][^:]*: .{{10,400}}$", message)
                assert "\x1b" not in message
            else:
                assert "unreadable" not in check_pages(admin)
    assert refused > MOST / 2


@contextmanager
def undone(what):
    """Nothing that the block stores is kept; an error in it names what was changed."""
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    except Exception as error:
        raise AssertionError(what) from error


MODELS = (
    *(Run, stored.Measurement, stored.Interval, stored.Reading, stored.Finding),
    *(stored.Environment, stored.Software, StudyRun, stored.StudyCell, Tuning, stored.TuningTrial),
)

COLUMNS = [
    (model, field.name)
    for model in MODELS
    for field in model._meta.concrete_fields
    if not field.is_relation
    and not field.primary_key
    and not isinstance(field, models.DateTimeField)  # which Django itself reads
]

ODD = {
    "text": "x",
    "empty": "",
    "number": -1,
    "list": "[[1]]",
    "object": '{"x": {"y": []}}',
    "cut": '{"x',
    "deep": "[" * 900 + "]" * 900,
    "bytes": b"\xff\x00",
}
"""What SQLite keeps in any column."""


def test_a_row_that_cannot_be_read_breaks_no_page(admin):
    make_everything()
    sample = random.Random(23)
    cases = [(model, name, odd) for model, name in COLUMNS for odd in ODD]
    for model, name, odd in sample.sample(cases, MOST // 2):
        with undone(f"{model.__name__}.{name} {odd}"):
            pk = sample.choice(list(model._default_manager.values_list("pk", flat=True)))
            write_raw(model, name, pk, ODD[odd])
            check_pages(admin)
            call_command("dumpbench", os.devnull)


def write_raw(model, name, pk, value):
    """As neither Django nor a check of the database would."""
    table, key = model._meta.db_table, model._meta.pk.column
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        row = [value, getattr(pk, "hex", pk)]
        cursor.execute(f'UPDATE {table} SET "{name}" = %s WHERE {key} = %s', row)
        cursor.execute("PRAGMA ignore_check_constraints = OFF")


def test_its_page_says_why_and_it_can_be_deleted(golden, client, soup):
    sound = make_run("waitress", **SHORT)

    def why(rows, **columns):
        run = make_run("uwsgi", findings=(WEAK,), **SHORT)
        every = {"runs": Run.objects.filter(pk=run.pk), "findings": run.findings}
        every["measurements"] = run.measurements.filter(scope="all")
        every[rows].update(**columns)
        page = soup(f"/results/{run.pk}/")
        assert "the run can’t be read" in page.text
        assert sound.server in soup("/results/").text
        exported = {one["server"]: one for one in json.loads(client.get(EXPORT).getvalue())}
        assert exported["uwsgi"]["stored"] is None
        assert exported["waitress"]["stored"] is not None
        client.post("/results/delete/", {"runs": [str(run.pk)]})
        assert list(Run.objects.all()) == [sound]
        return page.select(".card .sentence")[1].text

    varying = {
        UUID: "<id>",
        r"(measurement|finding) \d+": r"\1 <n>",
        r"HdrHistogram: .*\)\. Delete": "HdrHistogram: <why>). Delete",
    }
    golden.cases(why, replace=varying)


def test_a_run_with_a_damaged_second_says_so(soup):
    run = make_run("uwsgi", **SHORT)
    run.intervals.filter(second=1).update(histogram="x" * 40)
    page = soup(f"/results/{run.pk}/")
    assert "the run can’t be read" in page.text
    assert "HdrHistogram" in page.select_one(".card").text
