"""Who may see the pages, and under which Content-Security-Policy."""

import os
from contextlib import suppress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.templatetags.static import static
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, resolve, reverse
from django.utils.crypto import constant_time_compare

from benchsuite import conf
from benchsuite.core.exceptions import UsageError


class NotShown(UsageError):
    """Says on a page with this status why there is no other; a UsageError alone has 400."""

    def __init__(self, message: str, *, status: int = 404) -> None:
        super().__init__(message)
        self.status = status


def gone(what: str, which: object) -> NotShown:
    return NotShown(f"There is no {what} {which}; it may have been deleted.")


def protect(response: HttpResponseBase, login: str | None) -> None:
    """Sets the header unless a middleware did. A form may lead to a log-in page elsewhere."""
    files = _sources(static("benchsuite/benchsuite.css"), static("benchsuite/benchsuite.js"))
    policy = {
        "default-src": "'none'",
        "script-src": files,
        "style-src": files,
        "connect-src": "'self'",  # of what is under way
        "img-src": f"{files} data: blob:",  # charts are saved as pictures
        "form-action": _sources(login or ""),
        "base-uri": "'none'",
        "frame-ancestors": "'self'",
    }
    text = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers.setdefault("Content-Security-Policy", text)


def _sources(*urls: str) -> str:
    """Our own origin, and the other origins among the URLs."""
    parts = [urlsplit(url) for url in urls]
    foreign = [f"{one.scheme}://{one.netloc}" if one.scheme else one.netloc for one in parts]
    return " ".join(dict.fromkeys(["'self'", *filter(None, foreign)]))


TOKEN_VARIABLE = "BENCHSUITE_TOKEN"


def staff(request: HttpRequest) -> bool:
    """Users who may enter the admin; nobody if users can't be staff."""
    user = getattr(request, "user", None)
    return user is not None and user.is_active and getattr(user, "is_staff", False)


def token(request: HttpRequest) -> bool | HttpResponseBase:
    """Whoever has the address with this start's token, BENCHSUITE_TOKEN; nobody without one.

    An address of loopback would prove nothing: proxies and tunnels on this machine have it too. The
    token moves from the address into a cookie, so that no link, history or Referer passes it on.
    """
    if not (expected := os.environ.get(TOKEN_VARIABLE, "")):
        return False
    # Browsers send cookies to every port of a host, so each console has a name of its own.
    cookie = f"benchsuite-{request.get_port()}"
    if constant_time_compare(request.GET.get("token", ""), expected):
        kept = request.GET.copy()
        del kept["token"]
        response = HttpResponseRedirect(f"{request.path}?{kept.urlencode()}".rstrip("?"))
        response.set_cookie(cookie, expected, httponly=True, samesite="Lax")
        return response
    return constant_time_compare(request.COOKIES.get(cookie, ""), expected)


def open_by_token() -> bool:
    return conf.access_rule() is token


def may(request: HttpRequest, permission: str) -> bool:
    """Users with the permission; on pages open by token, whoever is in."""
    if open_by_token():
        return True
    user = getattr(request, "user", None)
    has = getattr(user, "has_perm", None)  # the project's own user model may lack it
    return has is not None and bool(has(f"benchsuite.{permission}"))


def require(request: HttpRequest, permission: str, wanted: str) -> None:
    """Raises NotShown for others; `wanted` is what needs it, with its verb."""
    if not may(request, permission):
        action, model = permission.split("_")
        name = f"benchsuite | {model} | Can {action} {model}"
        raise NotShown(f"{wanted} the permission “{name}”.", status=403)


def login_url() -> str | None:
    """The log-in page: LOGIN_URL if it leads to a page here or elsewhere, else the admin's."""
    with suppress(NoReverseMatch, Resolver404):
        url = resolve_url(settings.LOGIN_URL)
        if "://" not in url:
            resolve(url.partition("?")[0].removeprefix(get_script_prefix().rstrip("/")))
        return url
    return url_or_none("admin:login")


def url_or_none(name: str, *args: object) -> str | None:
    """The URL of a view that may not be mounted."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return None
