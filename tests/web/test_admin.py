"""The admin shows runs and changes none."""

import pytest

from benchsuite.models import Run, Tuning
from tests.factories import WEAK, make_failed_run, make_run
from tests.study_factories import make_study_run
from tests.tuning_factories import make_tuning, searched
from tests.web.conftest import GONE


def test_list_and_run_lead_to_the_pages(admin):
    run = make_run("uwsgi", findings=(WEAK,))
    make_failed_run("uvicorn")
    listed = admin.get("/admin/benchsuite/run/")
    assert f'href="/results/{run.pk}/"' in listed.content.decode()
    shown = admin.get(f"/admin/benchsuite/run/{run.pk}/change/")
    assert shown.status_code == 200
    assert "B101 generator-cpu" in shown.content.decode()
    assert f"/results/{run.pk}/" in shown.content.decode()


def test_nothing_is_added_or_changed(admin):
    run = make_run("uwsgi")
    assert admin.get("/admin/benchsuite/run/add/").status_code == 403
    answer = admin.post(f"/admin/benchsuite/run/{run.pk}/change/", {"label": "other"})
    assert answer.status_code == 403
    run.refresh_from_db()
    assert run.label == ""


@pytest.mark.parametrize("make", [make_tuning, make_study_run])
def test_what_runs_were_made_for_is_shown_and_can_be_deleted(admin, make):
    row = make()
    runs = Run.objects.count()
    place = f"/admin/benchsuite/{row._meta.model_name}/"
    listed = admin.get(place).content.decode()
    assert f'href="{row.get_absolute_url()}"' in listed
    assert "finished" in listed
    assert admin.get(f"{place}{row.pk}/change/").status_code == 200
    assert admin.get(f"{place}add/").status_code == 403
    assert admin.post(f"{place}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not type(row).objects.exists()
    assert Run.objects.count() == runs


def test_one_whose_command_was_killed_is_not_running_in_the_admin(admin):
    make_tuning(searched(5), status="running", made_by=GONE)
    assert "interrupted" in admin.get("/admin/benchsuite/tuning/").content.decode()
    assert Tuning.objects.get().status == "interrupted"


def test_admin_works_where_the_pages_are_not_mounted(admin, settings):
    run = make_run("uwsgi")
    settings.ROOT_URLCONF = "tests.web.admin_urls"
    assert admin.get("/admin/benchsuite/run/").status_code == 200
    assert admin.get(f"/admin/benchsuite/run/{run.pk}/change/").status_code == 200
