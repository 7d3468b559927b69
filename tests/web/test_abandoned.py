"""A run whose command is gone never looks alive, wherever runs are shown or chosen."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from benchsuite import store
from benchsuite.models import Run, StudyRun
from benchsuite.system import lock
from tests.factories import make_run, make_running_run
from tests.web.conftest import GONE, csv_rows

ELSEWHERE = f"elsewhere:0:another-boot:{lock.owner_name().split(':', 3)[3]}"


def given(name, *, ago_s=0.0, **spec):
    """A run that says "running", of the command with this name."""
    run = make_running_run("granian-wsgi", **spec)
    begun = timezone.now() - timedelta(seconds=ago_s)
    Run.objects.filter(pk=run.pk).update(owner=name, started_at=begun)
    run.refresh_from_db()
    return run


@pytest.fixture
def dead(db):
    return given(GONE)


def test_list_and_filter_agree(soup, dead):
    page = soup("/results/")
    assert "■ interrupted" in page.select_one("tr.run").text
    assert "ended unexpectedly" in page.select_one("tr.run").text
    assert not page.select("progress, meta[http-equiv=refresh]")


def test_the_first_look_may_be_through_a_filter(soup, dead):
    assert len(soup("/results/?verdict=interrupted").select("tr.run")) == 1


def test_run_page(soup, dead):
    page = soup(f"/results/{dead.pk}/")
    assert "ended unexpectedly" in page.select_one(".card").text
    assert page.select_one("a.delete")
    assert not page.select("meta[http-equiv=refresh]")


def test_exports(client, dead):
    (row,) = csv_rows(client, "/results/export/?format=csv")
    assert row["status"] == "interrupted"
    Run.objects.update(status="running", owner=GONE)
    (one,) = json.loads(client.get(f"/results/{dead.pk}/export/?format=json").getvalue())
    assert one["status"] == "interrupted"
    assert "ended unexpectedly" in one["failure"]


def test_compare_page(soup, dead):
    assert "running" not in soup(f"/results/compare/?runs={dead.pk}").select_one("table").text


def test_it_can_be_deleted(client, dead):
    answer = client.post("/results/delete/", {"runs": [str(dead.pk)]})
    assert answer.status_code == 302
    assert not Run.objects.exists()


def test_admin(admin, dead):
    listed = admin.get("/admin/benchsuite/run/?status__exact=running").content.decode()
    assert "0 runs" in listed
    answer = admin.post(f"/admin/benchsuite/run/{dead.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not Run.objects.exists()


def test_comparebench_does_not_take_it_for_running(dead):
    for server in ("uwsgi", "waitress"):
        make_run(server)
    call_command("comparebench", "uwsgi", "waitress")
    dead.refresh_from_db()
    assert dead.status == "interrupted"


def test_a_living_run_stays(soup):
    run = given(lock.owner_name(), ago_s=40_000_000)
    assert "under way" in soup("/results/").select_one(".under-way").text
    run.refresh_from_db()
    assert run.status == "running"


def test_a_run_elsewhere_is_believed_for_a_while_and_says_where(soup):
    run = given(ELSEWHERE, ago_s=30)
    page = soup(f"/results/{run.pk}/")
    assert "elsewhere measures it; without a result by" in page.text
    assert not page.select("a.delete")


def test_a_run_elsewhere_that_should_be_over_is_not(soup):
    run = given(ELSEWHERE, ago_s=store.ALLOWED_S + 60, duration_s=30)
    page = soup(f"/results/{run.pk}/")
    assert "ended unexpectedly" in page.text
    assert page.select("a.delete")


def test_a_spec_of_another_format_is_no_obstacle(soup):
    run = given(ELSEWHERE, ago_s=30)
    Run.objects.filter(pk=run.pk).update(spec={"load": {"of": "tomorrow"}})
    soup("/results/")


def test_many_dead_runs_are_marked_in_few_queries(django_assert_max_num_queries):
    run = make_running_run("uwsgi")
    names = [field.attname for field in Run._meta.concrete_fields if not field.primary_key]
    columns = {name: getattr(run, name) for name in names} | {"owner": GONE}
    Run.objects.bulk_create(Run(**columns) for _ in range(1200))
    with django_assert_max_num_queries(8):
        assert store.sweep() == 1200
    with django_assert_max_num_queries(1):
        assert store.sweep() == 0


def test_an_execution_of_a_study_is_marked_too():
    dead, alive = (
        StudyRun.objects.create(name="tiny", started_at=timezone.now(), owner=who)
        for who in (GONE, lock.owner_name())
    )
    store.sweep_executions()
    dead.refresh_from_db()
    alive.refresh_from_db()
    assert (dead.status, dead.owner) == ("interrupted", "")
    assert (alive.status, alive.owner) == ("running", lock.owner_name())


def test_a_database_that_can_not_be_written_is_still_shown(client, dead, caplog):
    def refuse(execute, sql, *rest):
        if sql.startswith("UPDATE"):
            raise DatabaseError("attempt to write a readonly database")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        assert client.get("/results/").status_code == 200
    assert "readonly database" in caplog.text


def test_an_execution_elsewhere_without_a_run_for_days_is_over():
    for hours in (30, 60):
        begun = timezone.now() - timedelta(hours=hours)
        StudyRun.objects.create(name="tiny", started_at=begun, owner=ELSEWHERE)
    store.sweep_executions()
    states = StudyRun.objects.order_by("started_at").values_list("status", flat=True)
    assert list(states) == ["interrupted", "running"]
