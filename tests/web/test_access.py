"""Who sees the pages, and that they stand in any project."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from benchsuite.views import access
from benchsuite.views.access import loopback
from tests.factories import make_run

PAGES = ("", "compare/", "export/", "delete/", "studies/", "tune/")
PATHS = [f"/results/{page}" for page in PAGES]


def everyone(request: Any) -> Any:
    return True


@pytest.mark.parametrize("path", PATHS)
def test_strangers_are_sent_to_the_login(settings: Any, client: Any, path: Any) -> None:
    settings.BENCHSUITE = {}
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/admin/login/?next={path}"


def test_a_run_and_its_numbers_are_closed_too(settings: Any, client: Any) -> None:
    run = make_run("uwsgi")
    settings.BENCHSUITE = {}
    for path in ("", "export/", "goodput.csv"):
        assert client.get(f"/results/{run.pk}/{path}").status_code == 302


def test_staff_come_in_and_others_do_not(settings: Any, client: Any) -> None:
    settings.BENCHSUITE = {}
    client.force_login(User.objects.create_user("eve"))
    assert client.get("/results/").status_code == 403
    client.force_login(User.objects.create_user("ada", is_staff=True))
    page = client.get("/results/")
    assert page.status_code == 200
    assert "open to everyone on this machine" not in page.content.decode()


def test_users_of_a_model_without_staff_or_permissions_are_kept_out(settings: Any, rf: Any) -> None:
    settings.BENCHSUITE = {}
    request = rf.get("/results/")
    request.user = SimpleNamespace(is_active=True, is_authenticated=True)
    assert access.guarded(everyone)(request).status_code == 403
    assert not access.may_delete(request)


def test_a_rule_of_the_project(settings: Any, client: Any) -> None:
    settings.BENCHSUITE = {"ACCESS": f"{__name__}.everyone"}
    assert client.get("/results/", REMOTE_ADDR="203.0.113.7").status_code == 200


def test_open_pages_say_so(soup: Any) -> None:
    assert "open to everyone on this machine" in soup("/results/").select_one("footer").text


@pytest.mark.parametrize(
    ("meta", "allowed"),
    [
        ({}, True),
        ({"REMOTE_ADDR": "::1", "HTTP_HOST": "[::1]:8000"}, True),
        ({"REMOTE_ADDR": "127.0.0.9", "HTTP_HOST": "localhost:8000"}, True),
        ({"REMOTE_ADDR": "203.0.113.7"}, False),
        ({"REMOTE_ADDR": ""}, False),
        ({"HTTP_HOST": "evil.example"}, False),
        ({"HTTP_X_FORWARDED_FOR": "203.0.113.7"}, False),
        ({"HTTP_FORWARDED": "for=203.0.113.7"}, False),
    ],
)
def test_loopback_means_this_machine_alone(settings: Any, meta: Any, allowed: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    request = RequestFactory().get("/", **{"HTTP_HOST": "127.0.0.1:8000", **meta})
    assert loopback(request) is allowed


def test_who_is_not_on_this_machine_is_told_so(client: Any) -> None:
    answer = client.get("/results/", REMOTE_ADDR="203.0.113.7")
    assert answer.status_code == 403
    assert "this machine only" in answer.content.decode()


@pytest.fixture
def bare(settings: Any) -> Any:
    """A project without admin, sessions, users or context processors."""
    settings.ROOT_URLCONF = "tests.web.bare_urls"
    settings.INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "benchsuite"]
    settings.MIDDLEWARE = []
    settings.LOGIN_URL = "/accounts/login/"
    settings.TEMPLATES = [
        {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
    ]
    return Client(HTTP_HOST="localhost")


def test_pages_stand_without_the_admin(bare: Any) -> None:
    runs = [make_run("uwsgi"), make_run("uvicorn")]
    ids = ",".join(str(run.pk) for run in runs)
    for path in ("", f"{runs[0].pk}/", f"compare/?runs={ids}", f"delete/?runs={ids}"):
        page = bare.get(f"/bench/{path}")
        assert page.status_code == 200
        assert "/admin/" not in page.content.decode()
    assert bare.post("/bench/delete/", {"runs": ids.split(",")[0]}).status_code == 302


def test_without_a_login_strangers_get_403(bare: Any, settings: Any) -> None:
    settings.BENCHSUITE = {}
    answer = bare.get("/bench/")
    assert answer.status_code == 403
    assert "staff only" in answer.content.decode()
