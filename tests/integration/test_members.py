"""A stranger's project whose pages are for members: its own users, session and host."""

import re

import pytest
from django.test import override_settings

from benchsuite.core.results import Status
from benchsuite.core.specs import DatabaseSpec, VisitorSpec
from benchsuite.runner import planning, preflight
from tests.integration import runs
from tests.integration.runs import page, written

SETTINGS = """
import secrets
SECRET_KEY = secrets.token_hex()  # as where none is set
DEBUG = True
ALLOWED_HOSTS = ["members.example"]
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "club"
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "club.sqlite3"}}
AUTH_USER_MODEL = "club.Member"
AUTHENTICATION_BACKENDS = ["club.doors.Door"]
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = "club_card"
SESSION_COOKIE_DOMAIN = "members.example"
LOGIN_URL = "/door/"
"""

MODELS = """
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models


class Members(BaseUserManager):
    def create_user(self, email, *, nickname, born):
        member = self.model(email=email, nickname=nickname, born=born)
        member.set_unusable_password()
        member.save()
        return member


class Member(AbstractBaseUser):
    email = models.EmailField(unique=True)
    nickname = models.CharField(max_length=8)
    born = models.DateField()
    is_active = models.BooleanField(default=True)
    objects = Members()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = ["nickname", "born"]


class Prize(models.Model):
    name = models.CharField(max_length=20)
"""

DOORS = """
from django.contrib.auth.backends import BaseBackend
from club.models import Member


class Door(BaseBackend):
    def get_user(self, pk):
        return Member.objects.filter(pk=pk, is_active=True).first()
"""

URLS = """
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseGone, HttpResponseRedirect
from django.urls import path
from club.models import Prize


@login_required
def prizes(request):
    told = [request.user.email, request.get_host(), request.headers.get("Accept-Language", "")]
    told += [request.COOKIES.get("colour", ""), request.headers["User-Agent"]]
    return HttpResponse("|".join([*told, *Prize.objects.values_list("name", flat=True)]))


urlpatterns = [
    path("prizes/", prizes),
    path("old/", lambda request: HttpResponseRedirect("/prizes/")),
    path("gone/", lambda request: HttpResponseGone("no more")),
]
"""

AWARD = """
import sys
from django.core.management import BaseCommand, CommandError
from club.models import Prize


class Command(BaseCommand):
    def add_arguments(self, parser):
        parser.add_argument("names", nargs="*")
        parser.add_argument("--fail", default="")

    def handle(self, *args, names, fail, **options):
        if fail == "exit":
            sys.exit(3)
        if fail == "raise":
            {}["cup"]
        if fail == "ask":
            input("which prize? ")
        if fail:
            raise CommandError(f"no prize {fail}")
        Prize.objects.bulk_create(Prize(name=name) for name in names)
"""

FIXTURE = '[{"model": "club.prize", "pk": %d, "fields": {"name": "%s"}}]'


@pytest.fixture
def club(tmp_path, monkeypatch):
    """Yields the project's settings module; its tables are made without migrations."""
    sources = {"settings": SETTINGS, "models": MODELS, "doors": DOORS, "urls": URLS}
    with written(tmp_path, "club", sources, monkeypatch) as project:
        commands = project.folder / "management" / "commands"
        commands.mkdir(parents=True)
        (commands / "award.py").write_text(AWARD)
        (project.folder / "fixtures").mkdir()
        for number, name in enumerate(("cup", "medal"), start=1):
            (project.folder / "fixtures" / f"{name}.json").write_text(FIXTURE % (number, name))
        monkeypatch.chdir(tmp_path)
        yield project.settings_module
    assert not (tmp_path / "club.sqlite3").exists(), "its own database is nobody's business"


def spec(path="/prizes/", server="waitress", **fields):
    return page(path, server, users=5, duration_s=0.5, **fields)


def made(club, *specs):
    with override_settings(BENCHSUITE={"TARGET_SETTINGS": club}):
        for one in specs:
            preflight.check(planning.resolve(one))
    return runs.made(club, *specs)


def test_a_member_is_made_logged_in_and_known_to_prober_and_load(club):
    visitor = VisitorSpec(
        login="eve@club.example",
        host="members.example:8443",
        headers=("Accept-Language: de", "User-Agent: somebody"),
        cookies=("colour=blue",),
    )
    whole = "eve@club.example|members.example:8443|de|blue|somebody|cup|medal|jug|a pot"
    options = {
        "expect": f"/prizes/={whole}\n/gone/=no more",
        "status": "/old/=302\n/gone/=410",
    }
    database = DatabaseSpec(fixtures=("cup", "medal"), fill=("award jug 'a pot'",))
    many, one = made(
        club,
        spec(path="/prizes/,/old/,/gone/", options=options, visitor=visitor, database=database),
        spec(visitor=visitor, database=database),
    )
    for result in (many, one):
        assert (result.status, result.failure) == (Status.FINISHED, "")
        assert (result.total.failures, result.total.requests > 20) == (0, True)
        assert result.settings_changed["(log-in)"].startswith("as eve@club.example (created")
    told = " ".join(finding.message for finding in one.findings)
    assert not re.search("The prober was answered 0 of [1-9]", told), "it sends what the load sends"
    assert "name of who is logged in present" in told, "another member's page would be seen"


def test_what_can_not_be_had_is_told_in_a_sentence(club):
    filled = {
        "award --fail=cup": "--fill=award --fail=cup failed: no prize cup",
        "award --fail=exit": "failed: it ended with 3",
        "award --fail=raise": "failed: KeyError: 'cup' (",
        "award --fail=ask": "failed: EOFError: EOF when reading a line",
        "award --password=s3cret --fail": "--password=*** --fail failed: ",
        "ward": "--fill=ward failed: Unknown command: 'ward'",
    }
    results = made(
        club,
        spec(),
        spec(visitor=VisitorSpec(login="eve")),
        spec(visitor=VisitorSpec(login="eve@club.example:staff")),
        *(spec(server=one, database=DatabaseSpec(fill=("award --fail=cup",))) for one in TWO),
        *(spec(database=DatabaseSpec(fill=(command,))) for command in filled),
    )
    nobody, odd, staff, *failed = [result.failure for result in results]
    assert "GET /prizes/ redirected to /door/?next=/prizes/" in nobody
    assert "--login=USER" in nobody
    assert "sets is_staff, and club.Member has no such field" in staff
    assert "club.Member could not be created (Enter a valid email address.)" in odd
    expected = [filled["award --fail=cup"]] * len(TWO) + [*filled.values()]
    for failure, words in zip(failed, expected, strict=True):
        assert words in failure
        assert "s3cret" not in failure


TWO = ("waitress", "gunicorn-sync")
"""The second server hears why as the first does."""
