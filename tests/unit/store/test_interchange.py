"""A run carried to another database is the same there, to the byte; anything else is refused."""

import json
import re
from io import BytesIO, TextIOWrapper
from unittest.mock import DEFAULT, Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client

from benchsuite import __version__
from benchsuite.core.results import Status
from benchsuite.models import Environment, Interval, Run, Software
from benchsuite.report.exports import json_of
from benchsuite.store.interchange import SEAL, as_plain, from_plain, sealed
from tests.factories import WEAK, make_failed_run, make_run, make_running_run
from tests.golden import UUID
from tests.socket_factories import make_echo_run, make_idle_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(settings, monkeypatch):
    settings.BENCHSUITE = {"ACCESS": "benchsuite.views.access.token"}
    monkeypatch.setenv("BENCHSUITE_TOKEN", "x")
    client = Client(HTTP_HOST="localhost")
    client.cookies["benchsuite-80"] = "x"
    return client


def exported():
    return "".join(json_of(Run.objects.order_by("started_at", "pk"))).encode()


def emptied():
    Run.objects.all().delete()
    Environment.objects.all().delete()
    Software.objects.all().delete()


PACKAGES = {"django": "5.2.9", "shop": "1.0 (0123456789ab)"}


def make_all():
    """Runs of every kind."""
    return [
        make_run("uwsgi", findings=(WEAK,), label="before", failed_share=0.1, packages=PACKAGES),
        make_failed_run("uvicorn"),
        make_failed_run("daphne", status=Status.INTERRUPTED),
        make_echo_run(lost=2, closes={1001: 1}),
        make_idle_run(),
    ]


def test_exports_and_pages_are_the_same_before_and_after(client, loadbench):
    runs = make_all()
    paths = ["/results/export/?format=csv", "/results/export/?format=json"]
    for run in runs:
        paths += [f"/results/{run.pk}/", *(f"/results/{run.pk}/{slug}.csv" for slug in SLUGS)]

    def shown():
        return [client.get(path).getvalue() for path in paths]

    before, content = shown(), exported()
    emptied()
    assert loadbench(content) == ["5 runs loaded."]
    assert shown() == before
    assert exported() == content


SLUGS = ["goodput", "response-times", "distribution", "cpu", "memory", "websockets", "losses"]


def test_what_pages_export_is_loaded(client, loadbench):
    run = make_run("uwsgi")
    answers = [
        client.get(path).getvalue()
        for path in (f"/results/{run.pk}/export/", "/results/export/?format=json")
    ]
    emptied()
    assert loadbench(*answers) == [
        "0.json: 1 run loaded.",
        "1.json: 0 runs loaded.",
        f"1.json: 1 run skipped, already stored: {run.pk.hex[:8]}.",
    ]


def test_a_run_before_it_is_stored_is_what_it_is_after(loadbench):
    run = make_run("uwsgi", findings=(WEAK,))
    assert as_plain(run) == as_plain(Run.objects.get())


def test_from_standard_input(monkeypatch, capsys):
    make_run("uwsgi")
    content = exported()
    emptied()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))
    call_command("loadbench", "-")
    assert capsys.readouterr().out == "-: 1 run loaded.\n"


def test_what_still_ran_is_skipped(loadbench):
    run = make_running_run("uwsgi")
    content = exported()
    emptied()
    skipped = f"1 run skipped, unfinished or unreadable when exported: {str(run.pk)[:8]}."
    assert skipped in loadbench(content)
    assert not Run.objects.exists()


def changed(content, change):
    objects = json.loads(content)
    change(objects)
    return json.dumps(objects).encode()


def later(objects):
    objects[0]["stored"]["benchsuite"] = "9.2"
    objects[0]["stored"]["run"]["colour"] = "red"


def test_what_is_wrong_is_named_and_nothing_is_loaded(loadbench, golden):
    """Not even the good file before it."""
    good = make_run("waitress")
    first = exported()
    good.delete()
    make_run("uwsgi")
    make_run("uwsgi")
    second = exported()
    emptied()

    def case(damage):
        try:
            loadbench(first, damage(second))
        finally:
            assert not Run.objects.exists()

    replace = {UUID: "<id>", r"line \d+, column \d+": "line <n>", r"byte \d+": "byte <n>"}
    replace |= {re.escape(__version__): "<version>", r"/\S+/1\.json": "1.json"}
    replace[r"\d+ MiB"] = "<n> MiB"
    golden.cases(case, refuses=CommandError, replace=replace)


def test_a_file_that_is_not_there():
    with pytest.raises(CommandError, match=r"^/no/file could not be read: No such file"):
        call_command("loadbench", "/no/file")


def test_values_that_no_benchsuite_stores_are_refused(golden, monkeypatch):
    def case(change):
        plain = as_plain(make_run("uwsgi"))
        plain["run"] |= change
        monkeypatch.setattr("benchsuite.store.interchange._digest", lambda rows: plain["sha256"])
        from_plain(plain)

    golden.cases(case, refuses=Exception)


def without(plain, part, name):
    """The same as exported before that column existed, digest included."""
    rows = {key: value for key, value in plain.items() if key not in SEAL}
    for row in rows[part] if isinstance(rows[part], list) else [rows[part]]:
        del row[name]
    return sealed(rows)


def read_without(part, name):
    """What stands there in a run that was written without."""
    run = from_plain(without(as_plain(make_run("uwsgi")), part, name))
    return (
        {getattr(row, name) for row in getattr(run, part).all()}
        if part != "run"
        else getattr(run, name)
    )


def read_with(**changes):
    return from_plain({**(as_plain(make_run("uwsgi")) or {}), **changes})


def test_values(golden):
    golden.values()


@pytest.mark.parametrize(
    ("server", "serves_project"), [("heritage-2012-gevent", False), ("uvicorn", True)]
)
def test_facts_of_a_server_are_told_when_it_is_loaded(loadbench, server, serves_project):
    """Where the run was exported before they were stored with it."""
    make_run(server)
    objects = json.loads(exported())
    objects[0]["stored"] = without(objects[0]["stored"], "run", "server_facts")
    emptied()
    loadbench(json.dumps(objects).encode())
    assert Run.objects.get().server_facts["serves_project"] is serves_project


def test_the_key_of_its_cell_is_told_anew():
    """Another benchsuite may have told cells apart in another way."""
    run = make_run("uwsgi")
    plain = as_plain(run)
    plain["run"]["key"] = "0" * 64
    del plain["run"]["spec"]["load"]["keep_cookies"]
    assert from_plain(without(plain, "run", "level")).key == run.key


def test_nothing_is_loaded_when_the_database_fails_midway(loadbench, monkeypatch):
    make_all()
    content = exported()
    emptied()
    failing = [DEFAULT, OperationalError("database or disk is full")]
    full = Mock(wraps=Interval._default_manager.bulk_create, side_effect=failing)
    monkeypatch.setattr(Interval._default_manager, "bulk_create", full)
    with pytest.raises(CommandError, match=r"Nothing was loaded\. .*disk is full"):
        loadbench(content)
    assert not Run.objects.exists()


def test_a_run_without_a_result_is_stored_once(loadbench):
    make_running_run("uwsgi")
    Run.objects.update(status="interrupted", owner="")
    assert loadbench(exported())[0] == "0 runs loaded."
