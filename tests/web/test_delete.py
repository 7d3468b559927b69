"""Deleting asks first, needs a POST with its token, and needs to be allowed."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from benchsuite.models import Interval, Run
from benchsuite.report.queries import NAMED_COMMANDS
from tests.factories import make_run, make_running_run
from tests.starts import make_rows
from tests.web.conftest import with_token


def test_it_asks_first(client, soup):
    run = make_run("uwsgi")
    page = soup(f"/results/delete/?runs={run.pk}")
    assert "can’t be undone" in page.text
    assert page.select_one("form[method=post] input[name=csrfmiddlewaretoken]")
    assert Run.objects.count() == 1


def test_a_post_deletes_the_run_with_all_its_figures(client, soup):
    gone, kept = make_run("uwsgi"), make_run("uvicorn")
    answer = client.post("/results/delete/", {"runs": [str(gone.pk)]})
    assert answer.status_code == 302
    assert list(Run.objects.all()) == [kept]
    assert not Interval.objects.exclude(run=kept).exists()
    assert "1 run deleted" in soup(answer["Location"]).text


def test_many_runs_are_few_fields_of_the_form(client, soup, settings):
    """Django refuses a form of more than a thousand, and twice as many runs may be chosen."""
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    ids = ",".join(str(make_run("uwsgi", seed=one).pk) for one in range(8))
    inputs = soup(f"/results/delete/?runs={ids}").select("form[method=post] input")
    given: dict[str, list[str]] = {}
    for one in inputs:
        given.setdefault(str(one["name"]), []).append(str(one["value"]))
    assert client.post("/results/delete/", given).status_code == 302
    assert not Run.objects.exists()


def test_all_commands_that_are_ticked_are_there(client):
    many = NAMED_COMMANDS + 2
    make_rows(many, servers=("uwsgi",), per_batch=1)
    batches = [str(one) for one in Run.objects.values_list("batch", flat=True)]
    answer = client.post("/results/delete/", {"runs": ",".join(batches)})
    assert answer["Location"] == f"/results/?deleted={many}"


def test_a_post_without_the_token_is_refused():
    run = make_run("uwsgi")
    strict = with_token(Client(HTTP_HOST="localhost", enforce_csrf_checks=True))
    assert strict.post("/results/delete/", {"runs": [str(run.pk)]}).status_code == 403
    assert Run.objects.count() == 1


def test_a_running_run_stays(client):
    run = make_running_run("uwsgi")
    page = client.post("/results/delete/", {"runs": [str(run.pk)]})
    assert "Still running" in page.content.decode()
    assert Run.objects.count() == 1


@pytest.mark.parametrize("query", ["", "runs=x"])
def test_nonsense_is_refused(soup, query):
    soup(f"/results/delete/?{query}", status=400)


def test_staff_need_the_permission(settings, client, soup):
    settings.BENCHSUITE = {}
    user = User.objects.create_user("ada", is_staff=True)
    client.force_login(user)
    run = make_run("uwsgi")
    assert "Delete" not in soup(f"/results/{run.pk}/").text
    assert not soup("/results/").select("button.delete")
    assert client.post("/results/delete/", {"runs": [str(run.pk)]}).status_code == 403
    assert Run.objects.count() == 1
    user.user_permissions.add(Permission.objects.get(codename="delete_run"))
    assert client.post("/results/delete/", {"runs": [str(run.pk)]}).status_code == 302
    assert not Run.objects.exists()
