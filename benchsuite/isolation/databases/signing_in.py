"""A user's session in the throw-away database, made as `django.test.Client.force_login` does."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models

from benchsuite.core.exceptions import DatabaseError

NEEDED = ("django.contrib.auth", "django.contrib.sessions")


def check_apps(name: str) -> None:
    """Raises DatabaseError where the project has no sessions of Django's, or no users."""
    missing = [app for app in NEEDED if not apps.is_installed(app)]
    if missing:
        raise DatabaseError(
            f"--login={name} creates a Django session, and INSTALLED_APPS of the project has no "
            f"{' and no '.join(missing)}; log in inside a journey, or give --cookie or --header."
        )


def signed_in(name: str) -> tuple[dict[str, str], str]:
    """The cookies of a user's session, and the user in words, in a project with these apps.

    A missing user is created as an ordinary one without a password. Raises DatabaseError where the
    project requires fields that can't be made up.
    """
    from django.contrib import auth
    from django.http import HttpRequest
    from django.test import Client

    user, words = _found_or_made(auth.get_user_model(), name)
    if not user.is_active:
        raise DatabaseError(
            f"--login={name} names an inactive user, whom no page accepts; name an active one."
        )
    client = Client()
    client.force_login(user)
    request = HttpRequest()
    request.session = client.session
    if not auth.get_user(request).is_authenticated:
        raise DatabaseError(
            f"--login={name}: none of AUTHENTICATION_BACKENDS "
            f"({', '.join(settings.AUTHENTICATION_BACKENDS)}) takes up that user's session; log in "
            "inside a journey."
        )
    return {key: morsel.value for key, morsel in client.cookies.items()}, words


def _found_or_made(model: Any, name: str) -> tuple[Any, str]:
    manager = model._default_manager
    try:
        return manager.get(**{model.USERNAME_FIELD: name}), f"as {name}"
    except model.DoesNotExist:
        return _made(model, name), f"as {name} (created, as there was no such user)"


def _made(model: Any, name: str) -> Any:
    """A user with this name and whatever else the model requires."""
    label = model._meta.label
    try:
        values = {
            field: _value(model._meta.get_field(field), name)
            for field in (model.USERNAME_FIELD, *model.REQUIRED_FIELDS)
        }
        model._meta.get_field(model.USERNAME_FIELD).clean(name, None)
        create = getattr(model._default_manager, "create_user", None)
        if create is not None:
            return create(**values)
        user = model(**values)
        user.set_unusable_password()
        user.save()
    except (TypeError, ValueError, ValidationError, IntegrityError) as error:
        said = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise DatabaseError(
            f"--login={name}: there is no such user, and {label} could not be created ({said}); "
            "add one with --fixture or --fill."
        ) from error
    return user


def _value(field: Any, name: str) -> Any:
    """A value that a required field accepts."""
    if field.name == field.model.USERNAME_FIELD:
        return name
    if field.has_default():
        return field.get_default()
    if field.choices:
        return next(key for key, _ in field.flatchoices if key not in ("", None))
    known: tuple[tuple[type[models.Field[Any, Any]], Any], ...] = (
        (models.EmailField, name if "@" in name else f"{name}@example.com"),
        (models.URLField, "https://example.com/"),
        (models.CharField, name[: getattr(field, "max_length", None) or None]),
        (models.TextField, name),
        (models.DateTimeField, datetime(2000, 1, 1, tzinfo=UTC)),
        (models.DateField, datetime(2000, 1, 1, tzinfo=UTC).date()),
        (models.BooleanField, False),
        (models.IntegerField, 1),
        (models.DecimalField, 1),
        (models.FloatField, 1.0),
        (models.UUIDField, uuid4()),
        (models.JSONField, {}),
    )
    for kind, value in known:
        if isinstance(field, kind):
            return value
    raise ValueError(f"its {field.name} is a {type(field).__name__}, which can't be made up")
