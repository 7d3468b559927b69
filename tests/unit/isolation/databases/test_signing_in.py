"""Sessions for --login, with the users of the repository's own project."""

import pytest
from django.contrib import auth
from django.contrib.auth.models import User
from django.test import Client, override_settings

from benchsuite.core.exceptions import DatabaseError
from benchsuite.isolation.databases.signing_in import check_apps, signed_in

pytestmark = pytest.mark.django_db


def known_as(cookies: dict[str, str]) -> str:
    """Who a visitor with these cookies is."""
    client = Client()
    client.cookies.load(cookies)
    request = client.get("/nowhere/").wsgi_request
    return auth.get_user(request).get_username()


def test_a_user_who_is_there_is_taken() -> None:
    User.objects.create_superuser("eve", password="s3cret")
    cookies, words = signed_in("eve")
    assert words == "as eve"
    assert list(cookies) == ["sessionid"]
    assert known_as(cookies) == "eve"


def test_who_is_not_there_is_made_without_password_and_rights() -> None:
    cookies, words = signed_in("eve")
    assert words.startswith("as eve (created")
    user = User.objects.get()
    assert (user.email, user.is_staff, user.has_usable_password()) == (
        "eve@example.com",
        False,
        False,
    )
    assert known_as(cookies) == "eve"


def test_the_cookie_has_the_projects_name() -> None:
    with override_settings(SESSION_COOKIE_NAME="card"):
        assert list(signed_in("eve")[0]) == ["card"]


def test_who_is_not_active_is_nobody() -> None:
    User.objects.create_user("eve", is_active=False)
    with pytest.raises(DatabaseError, match="--login=eve names an inactive user"):
        signed_in("eve")


@pytest.mark.parametrize("name", ["eve!", "e" * 151])
def test_a_name_that_no_user_can_have(name: str) -> None:
    with pytest.raises(DatabaseError, match=r"auth\.User could not be created"):
        signed_in(name)
    assert not User.objects.exists()


def test_a_backend_that_takes_no_session_up() -> None:
    User.objects.create_user("eve")
    with (
        override_settings(AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.BaseBackend"]),
        pytest.raises(DatabaseError, match="takes up that user's session"),
    ):
        signed_in("eve")


def test_a_project_without_sessions() -> None:
    apps = ["django.contrib.auth", "django.contrib.contenttypes"]
    with (
        override_settings(INSTALLED_APPS=apps),
        pytest.raises(DatabaseError, match=r"has no django\.contrib\.sessions"),
    ):
        check_apps("eve")
