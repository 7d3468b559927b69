"""Who may see the pages, and under which Content-Security-Policy."""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import NoReverseMatch, Resolver404, resolve, reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_protect

from benchsuite import conf, store
from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden, printable
from benchsuite.store.abandoned import sweep

HEADER = "Content-Security-Policy"


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
    response.headers.setdefault(HEADER, text)


def _sources(*urls: str) -> str:
    """Our own origin, and the other origins among the URLs."""
    parts = [urlsplit(url) for url in urls]
    foreign = [f"{one.scheme}://{one.netloc}" if one.scheme else one.netloc for one in parts]
    return " ".join(dict.fromkeys(["'self'", *filter(None, foreign)]))


View = Callable[..., HttpResponseBase]

logger = logging.getLogger("benchsuite")

PACKER = GZipMiddleware(lambda request: HttpResponse())
"""Packs pages as far as browsers take it: the project may lack the middleware."""

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
    expected = os.environ.get(TOKEN_VARIABLE, "")
    if not expected:
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
    """Whether the pages are open to whoever has their address."""
    return conf.access_rule() is token


def may(request: HttpRequest, permission: str) -> bool:
    """Users with the permission; on pages open by token, whoever is in."""
    if open_by_token():
        return True
    user = getattr(request, "user", None)
    has = getattr(user, "has_perm", None)  # the project's own user model may lack it
    return has is not None and bool(has(f"benchsuite.{permission}"))


def guarded(view: View) -> View:
    """Applies the access rule first; redirects the others to the log-in page, if there is one.

    Users with access see no run as running whose command has ended, and a sentence if the database
    refuses; only they see its name.
    """

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = _answer(view, request, *args, **kwargs)
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        protect(response, login_url())
        return PACKER.process_response(request, response)

    return csrf_protect(asked)  # the project may lack the middleware


def _answer(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    try:
        rule = conf.access_rule()
    except UsageError as error:
        return _unavailable("The setting BENCHSUITE is invalid; see the log.", str(error))
    let_in = False
    try:
        answer = rule(request)
        if isinstance(answer, HttpResponseBase):
            return answer
        let_in = answer
        if let_in:
            sweep()
            return view(request, *args, **kwargs)
        return _denied(request)
    except (Error, ImproperlyConfigured) as error:
        refusal = printable(hidden(store.refusal(error)))
        stranger = "The database can't be asked who has access; see the log."
        reason = refusal if let_in else stranger
        return _unavailable(reason, refusal, error, closed=not let_in)


def _unavailable(
    message: str, logged: str, error: Exception | None = None, *, closed: bool = True
) -> HttpResponse:
    """Rendered without the request: a project's context processors may query the database too."""
    logger.error("A page could not be shown: %s", logged, exc_info=error)
    context = {"title": "That can’t be shown now", "message": message, "closed": closed}
    return HttpResponse(render_to_string("benchsuite/problem.html", context), status=503)


def _denied(request: HttpRequest) -> HttpResponseBase:
    user, login = getattr(request, "user", None), login_url()
    message = "These pages are for staff only, unless BENCHSUITE['ACCESS'] says otherwise."
    if open_by_token():
        message = (
            "Open the address that was printed when these pages were started; it ends in a token."
        )
    elif login and user is not None and not user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login)
    context = {"request": request, "title": "No access", "message": message, "closed": True}
    return render(request, "benchsuite/problem.html", context, status=403)


def login_url() -> str | None:
    """The log-in page: LOGIN_URL if it leads to a page here or elsewhere, else the admin's."""
    with suppress(NoReverseMatch, Resolver404):
        url = resolve_url(settings.LOGIN_URL)
        if "://" not in url:
            resolve(url.partition("?")[0])
        return url
    with suppress(NoReverseMatch):
        return reverse("admin:login")
    return None
