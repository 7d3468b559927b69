"""Identifies the visit of a request by a signed cookie for each survey."""

from django.http import HttpRequest, HttpResponse

from benchsuite.target.survey.definitions import Survey
from benchsuite.target.survey.store import Visit, store

COOKIE_DAYS = 30
_SECONDS = COOKIE_DAYS * 86_400
_SALT = "benchsuite.survey"


def visit_of(request: HttpRequest, survey: Survey) -> Visit | None:
    """None without a cookie, or if it is forged, expired or another survey's."""
    key = request.get_signed_cookie(_name(survey), default=None, salt=_SALT, max_age=_SECONDS)
    return store().visit(survey, key) if key else None


def remember(
    request: HttpRequest, response: HttpResponse, survey: Survey, visit: Visit, path: str
) -> HttpResponse:
    """The response, with the cookie for the pages below `path`."""
    response.set_signed_cookie(
        _name(survey),
        str(visit.id),
        salt=_SALT,
        max_age=_SECONDS,
        path=path,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _name(survey: Survey) -> str:
    return f"survey_{survey.slug}"
