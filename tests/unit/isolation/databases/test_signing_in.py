"""Sessions for --login, with the users of the repository's own project."""

import pytest
from django.contrib import auth
from django.contrib.auth.models import Permission, User
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
    cookies, words, _ = signed_in("eve")
    assert words == "as eve (found in the data: superuser)"
    assert list(cookies) == ["sessionid"]
    assert known_as(cookies) == "eve"


def test_who_is_not_there_is_made_without_password_and_rights() -> None:
    cookies, words, _ = signed_in("eve")
    assert words.startswith("as eve (created")
    user = User.objects.get()
    assert (user.email, user.is_staff, user.has_usable_password()) == (
        "eve@example.com",
        False,
        False,
    )
    assert known_as(cookies) == "eve"


@pytest.mark.parametrize(
    ("rights", "words", "held"),
    [
        ("", "created: no permissions", (False, False)),
        ("staff", "created: staff, no permissions", (True, False)),
        ("superuser", "created: superuser", (True, True)),
    ],
)
def test_who_is_made_has_the_rights_that_are_asked_for(
    rights: str, words: str, held: tuple[bool, bool]
) -> None:
    assert signed_in("eve", rights)[1] == f"as eve ({words})"
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser) == held


def test_who_is_there_gets_the_rights_that_are_asked_for() -> None:
    eve = User.objects.create_user("eve", email="eve@club.example")
    eve.user_permissions.add(*Permission.objects.all()[:3])
    assert signed_in("eve")[1] == "as eve (found in the data: 3 permissions)"
    words = "as eve (found in the data, rights added: staff, 3 permissions)"
    assert signed_in("eve", "staff")[1] == words
    words = "as eve (found in the data, rights added: superuser)"
    assert signed_in("eve", "superuser")[1:] == (words, True)
    assert User.objects.get().email == "eve@club.example"


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
