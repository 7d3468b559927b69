"""A user's session in the throw-away database, made as `django.test.Client.force_login` does."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import signature
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models

from benchsuite.core.exceptions import DatabaseError

SUPERUSER = "superuser"
NEEDED = ("django.contrib.auth", "django.contrib.sessions")


def check_apps(name: str) -> None:
    """Raises DatabaseError where the project has no sessions of Django's, or no users."""
    missing = [app for app in NEEDED if not apps.is_installed(app)]
    if missing:
        raise DatabaseError(
            f"--login={name} creates a Django session, and INSTALLED_APPS of the project has no "
            f"{' and no '.join(missing)}; log in inside a journey, or give --cookie or --header."
        )


def signed_in(name: str, rights: str = "") -> tuple[dict[str, str], str]:
    """The cookies of a user's session, and in words who that is and whence. A missing user is
    created without a password, as an ordinary one unless `rights` ("superuser", "staff") says
    otherwise; one that is there gets these. Raises DatabaseError where fields are required that
    can't be made up, or there are no such rights.
    """
    from django.contrib import auth
    from django.http import HttpRequest
    from django.test import Client

    user, origin = _found_or_made(auth.get_user_model(), name, rights)
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
    kind = "staff" if getattr(user, "is_staff", False) else "ordinary user"
    if getattr(user, "is_superuser", False):
        kind = SUPERUSER
    cookies = {key: morsel.value for key, morsel in client.cookies.items()}
    return cookies, f"as {name} ({origin}: {kind})"


def _found_or_made(model: Any, name: str, rights: str) -> tuple[Any, str]:
    """The user, and where he comes from. A superuser is staff, too."""
    manager = model._default_manager
    try:
        user, origin = manager.get(**{model.USERNAME_FIELD: name}), "found in the data"
    except model.DoesNotExist:
        origin = "created"
        create = getattr(manager, f"create_{rights}", None) if rights == SUPERUSER else None
        user = _made(model, name, create)
        if create is not None:
            return user, origin
    if not rights:
        return user, origin
    wanted = [f"is_{rights}", *["is_staff"] * (rights == SUPERUSER)]
    fields = {field.name for field in user._meta.concrete_fields} & {*wanted}
    if wanted[0] not in fields:
        raise DatabaseError(
            f"--login={user.get_username()}:{rights} sets {wanted[0]}, and {user._meta.label} has "
            f"no such field; name a user with these rights whom --fixture or --fill creates."
        )
    for field in fields:
        setattr(user, field, True)
    user.save(update_fields=fields)
    return user, origin if origin == "created" else f"{origin}, rights added"


def _made(model: Any, name: str, create: Callable[..., Any] | None) -> Any:
    """A user with this name and whatever else the model requires; superusers need a password."""
    label = model._meta.label
    try:
        values = {
            field: _value(model._meta.get_field(field), name)
            for field in (model.USERNAME_FIELD, *model.REQUIRED_FIELDS)
        }
        model._meta.get_field(model.USERNAME_FIELD).clean(name, None)
        if create is not None:
            return create(**values, password=secrets.token_urlsafe())
        create_user = model._default_manager.create_user
        nothing = {"password": None} if "password" in signature(create_user).parameters else {}
        return create_user(**{**nothing, **values})
    except (AttributeError, TypeError, ValueError, ValidationError, IntegrityError) as error:
        reason = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise DatabaseError(
            f"--login={name}: there is no such user, and {label} could not be created ({reason}); "
            "add one with --fixture or --fill."
        ) from error


def _value(field: Any, name: str) -> Any:
    """A value that a required field accepts."""
    if field.name == field.model.USERNAME_FIELD:
        return name
    if field.has_default():
        return field.get_default()
    known: tuple[tuple[type[models.Field[Any, Any]], Any], ...] = (
        (models.EmailField, name if "@" in name else f"{name}@example.com"),
        (models.CharField, name[: getattr(field, "max_length", None) or None]),
        (models.TextField, name),
        (models.DateTimeField, datetime(2000, 1, 1, tzinfo=UTC)),
        (models.DateField, datetime(2000, 1, 1, tzinfo=UTC).date()),
        (models.BooleanField, False),
        (models.IntegerField, 1),
    )
    for kind, value in known:
        if isinstance(field, kind):
            return value
    raise ValueError(f"its {field.name} is a {type(field).__name__}, which can't be made up")
