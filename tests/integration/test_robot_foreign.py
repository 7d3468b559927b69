"""The robot on forms it was not made for: Django's admin, a wizard, a crispy page, bad ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client, modify_settings, override_settings

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.completion import Completion
from benchsuite.robot.walk import complete
from tests.foreign import views
from tests.golden import Golden
from tests.needs import audited, needs

pytestmark = [pytest.mark.django_db, needs("formtools", "crispy-forms", "selectolax", "faker")]

TEMPLATES = Path(views.__file__).parent / "templates"
SEEDS = range(8)


@contextmanager
def foreign_forms(settings: Any) -> Iterator[None]:
    """The project of tests/foreign, which has received nothing yet."""
    apps = ["formtools", "crispy_forms", "crispy_bootstrap5"]
    with (
        modify_settings(INSTALLED_APPS={"append": apps}),
        override_settings(
            ROOT_URLCONF="tests.foreign.urls",
            TEMPLATES=[dict(settings.TEMPLATES[0], DIRS=[TEMPLATES])],
            CRISPY_TEMPLATE_PACK="bootstrap5",
            CRISPY_ALLOWED_TEMPLATE_PACKS="bootstrap5",
            MESSAGE_STORAGE="django.contrib.messages.storage.session.SessionStorage",
        ),
    ):
        views.received.clear()
        yield


@pytest.fixture(autouse=True)
def foreign_project(settings: Any) -> Iterator[None]:
    with foreign_forms(settings):
        yield


def completed(path: str, seed: int = 1, **more: object) -> Completion:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    return complete(client, path, seed=seed, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", audited(SEEDS, 0, 1, 2))
def test_the_admin_is_logged_in_to_and_a_group_added(seed: int) -> None:
    User.objects.create_superuser("boss", password="of-the-tests")
    done = completed(
        "/admin/auth/group/add/", seed, known={"username": "boss", "password": "of-the-tests"}
    )
    assert Group.objects.count() == 1
    assert len(done.visits) == 2


@pytest.mark.parametrize("seed", audited(SEEDS, 0, 1, 2))
def test_a_user_is_added_in_the_admin_in_two_pages(seed: int) -> None:
    User.objects.create_superuser("boss", password="of-the-tests")
    client = Client(enforce_csrf_checks=True)
    client.login(username="boss", password="of-the-tests")
    done = complete(client, "/admin/auth/user/add/", seed=seed)
    assert User.objects.count() == 2
    assert len(done.visits) == 2


@pytest.mark.parametrize("seed", audited(SEEDS, 0, 1, 2))
def test_a_wizard_is_walked_through(seed: int) -> None:
    done = completed("/wizard/", seed)
    assert len(done.visits) == 3
    (found,) = views.received
    assert 18 <= found["age"] <= 99
    assert found["born"] < date.today()
    assert found["subject"] in ("a", "b")
    assert found["agree"] is True


@pytest.mark.parametrize("path", ["/crispy/", "/paragraphs/"])
@pytest.mark.parametrize("seed", audited(SEEDS, 0, 1, 2))
def test_errors_are_read_and_mended(path: str, seed: int) -> None:
    done = completed(path, seed)
    (found,) = views.received
    assert 3 <= found["seats"] <= 7
    assert len(found["tags"]) == 4
    assert found["start"] > date.today()
    assert found["cv"].name.endswith(".pdf")
    assert found["button"] == "Apply"
    assert done.visits[0].tries > 1


def test_the_same_seed_gives_the_same_answers() -> None:
    first, second, other = (
        completed("/wizard/", 7),
        completed("/wizard/", 7),
        completed("/wizard/", 8),
    )
    assert [visit.answers for visit in first.visits] == [visit.answers for visit in second.visits]
    assert [visit.answers for visit in first.visits] != [visit.answers for visit in other.visits]


def test_what_cannot_be_completed_is_told_by_page(golden: Golden) -> None:
    golden.cases(lambda path: completed(path), refuses=RobotError)
