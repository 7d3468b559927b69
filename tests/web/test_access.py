"""Who sees the pages, and that they stand in any project."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import override_script_prefix

from benchsuite.views import access, page
from tests.factories import make_run
from tests.web.conftest import TOKEN, with_token

PAGES = ("", "compare/", "export/", "delete/", "studies/", "tune/")
PATHS = [f"/results/{page}" for page in PAGES]


def everyone(request):
    return True


@pytest.mark.parametrize("path", PATHS)
def test_strangers_are_sent_to_the_login(settings, client, path):
    settings.BENCHSUITE = {}
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/admin/login/?next={path}"


def test_a_run_and_its_numbers_are_closed_too(settings, client):
    run = make_run("uwsgi")
    settings.BENCHSUITE = {}
    for path in ("", "export/", "goodput.csv"):
        assert client.get(f"/results/{run.pk}/{path}").status_code == 302


def test_staff_come_in_and_others_do_not(settings, client):
    settings.BENCHSUITE = {}
    client.force_login(User.objects.create_user("eve"))
    assert client.get("/results/").status_code == 403
    client.force_login(User.objects.create_user("ada", is_staff=True))
    page = client.get("/results/")
    assert page.status_code == 200
    assert "with its token" not in page.content.decode()


def test_users_of_a_model_without_staff_or_permissions_are_kept_out(settings, rf):
    settings.BENCHSUITE = {}
    request = rf.get("/results/")
    request.user = SimpleNamespace(is_active=True, is_authenticated=True)
    assert page.guarded(everyone)(request).status_code == 403
    assert not access.may(request, "delete_run")


def test_a_rule_of_the_project(settings, client):
    settings.BENCHSUITE = {"ACCESS": f"{__name__}.everyone"}
    assert client.get("/results/", REMOTE_ADDR="203.0.113.7").status_code == 200


def test_open_pages_say_so(soup):
    assert "with its token" in soup("/results/").select_one("footer").text


def test_a_cache_of_the_whole_site_keeps_no_page(soup, settings):
    cache = "django.middleware.cache"
    update, fetch = f"{cache}.UpdateCacheMiddleware", f"{cache}.FetchFromCacheMiddleware"
    settings.MIDDLEWARE = [update, *settings.MIDDLEWARE, fetch]
    assert not soup("/results/").select("tr.run")
    make_run("uwsgi")
    assert soup("/results/").select("tr.run")


PROXIED = {"HTTP_HOST": "127.0.0.1:80", "REMOTE_ADDR": "127.0.0.1"}
"""What the plainest proxy passes on for somebody else: just what somebody here would send."""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("guess", ["", "?token=", "?token=x3Y", "?token=%00", "?token=ü"])
def test_who_has_no_token_sees_nothing(path, guess):
    answer = Client().get(f"{path}{guess}", **PROXIED)
    assert (answer.status_code, answer.cookies) == (403, {})
    assert "ends in a token" in answer.content.decode()


def test_who_has_no_token_deletes_nothing():
    run = make_run("uwsgi")
    assert Client().post("/results/delete/", {"runs": str(run.pk)}, **PROXIED).status_code == 403
    run.refresh_from_db()


def test_a_token_moves_from_the_address_into_a_cookie():
    browser = Client()
    answer = browser.get(f"/results/?label=x&token={TOKEN}&sort=-when")
    assert answer["Location"] == "/results/?label=x&sort=-when"
    assert (answer.status_code, answer.cookies["benchsuite-80"]["httponly"]) == (302, True)
    assert browser.get(answer["Location"]).status_code == 200
    assert browser.get("/results/", SERVER_PORT="8001").status_code == 403, "another console's"


def test_the_token_of_an_earlier_start_opens_nothing(client, monkeypatch):
    assert client.get("/results/").status_code == 200
    monkeypatch.setenv(access.TOKEN_VARIABLE, "another")
    assert client.get("/results/").status_code == 403


@pytest.mark.parametrize("given", ["", None])
def test_without_a_token_nobody_comes_in(given, client, monkeypatch):
    monkeypatch.delenv(access.TOKEN_VARIABLE)
    if given is not None:
        monkeypatch.setenv(access.TOKEN_VARIABLE, given)
    client.cookies["benchsuite-80"] = ""
    assert client.get("/results/?token=").status_code == 403


@pytest.fixture
def bare(settings):
    """A project without admin, sessions, users or context processors."""
    settings.ROOT_URLCONF = "tests.web.bare_urls"
    settings.INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "benchsuite"]
    settings.MIDDLEWARE = []
    settings.LOGIN_URL = "/accounts/login/"
    settings.TEMPLATES = [
        {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
    ]
    return with_token(Client(HTTP_HOST="localhost"))


def test_pages_stand_without_the_admin(bare):
    runs = [make_run("uwsgi"), make_run("uvicorn")]
    ids = ",".join(str(run.pk) for run in runs)
    for path in ("", f"{runs[0].pk}/", f"compare/?runs={ids}", f"delete/?runs={ids}"):
        page = bare.get(f"/bench/{path}")
        assert page.status_code == 200
        assert "/admin/" not in page.content.decode()
    assert bare.post("/bench/delete/", {"runs": ids.split(",")[0]}).status_code == 302


def test_without_a_login_strangers_get_403(bare, settings):
    settings.BENCHSUITE = {}
    answer = bare.get("/bench/")
    assert answer.status_code == 403
    assert "staff only" in answer.content.decode()


def test_a_login_below_the_prefix_of_its_project_is_found(settings):
    with override_script_prefix("/app/"):
        for given in ("benchsuite:list", "/app/results/"):
            settings.LOGIN_URL = given
            assert access.login_url() == "/app/results/"
        settings.LOGIN_URL = "/nowhere/"
        assert access.login_url() == "/app/admin/login/"


def test_a_middleware_that_wants_everybody_logged_in_leaves_it_to_the_rule(client, settings):
    wants = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, wants]
    assert client.get("/results/").status_code == 200
