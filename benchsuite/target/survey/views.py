"""The pages of the survey application."""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.template.backends.django import DjangoTemplates
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from benchsuite.target.survey.definitions import (
    LARGEST_UPLOAD,
    Definition,
    Flow,
    Page,
    Survey,
    listed,
    questions_of,
)
from benchsuite.target.survey.forms import PageForm
from benchsuite.target.survey.store import Visit, store

LARGEST_BODY = 2 * LARGEST_UPLOAD


def bounded(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answers 413 to more than LARGEST_BODY bytes."""

    @wraps(view)
    def inner(request: HttpRequest, /, **kwargs: Any) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return rendered(request, "too_large", {"most": LARGEST_BODY}, status=413)
        return view(request, **kwargs)

    return inner


@cache
def _engine() -> DjangoTemplates:
    folders = [Path(__file__).parent.parent / "templates"]
    return DjangoTemplates({"NAME": "survey", "DIRS": folders, "APP_DIRS": False, "OPTIONS": {}})


def rendered(
    request: HttpRequest, name: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """The page of the template of that name; its forms may use `csrf_token`."""
    template = _engine().get_template(f"benchsuite_target/survey/{name}.html")
    return HttpResponse(template.render(dict(context), request), status=status)


COOKIE_DAYS = 30
_SECONDS = COOKIE_DAYS * 86_400
_SALT = "benchsuite.survey"


def visit_of(request: HttpRequest, survey: Survey) -> Visit | None:
    """None without a cookie with an id, or if it is forged, expired or another survey's."""
    name = f"survey_{survey.slug}"
    try:
        pk = UUID(request.get_signed_cookie(name, default="", salt=_SALT, max_age=_SECONDS))
    except ValueError:
        return None
    visit: Visit | None = store().visit(survey, pk)
    return visit


NAMES = "benchsuite_survey"  #: The namespace of the URLs.


@require_safe
@never_cache
def listing(request: HttpRequest) -> HttpResponse:
    """All surveys with pages."""
    return rendered(request, "list", {"surveys": listed()})


@require_safe
@never_cache
@csrf_protect
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """The first page; redirects an earlier visit to where it stopped."""
    definition = Definition.of(slug)
    visit = visit_of(request, definition.survey)
    if visit is None or visit.completed:
        visit = store().begin(definition.survey)
    flow = definition.flow(visit.answers)
    current = flow.open_page(visit.done)
    if visit.done:
        response = _redirect("page", slug, current.number)
    else:
        response = _shown(request, definition, flow, current, PageForm(questions_of(current, flow)))
    response.set_signed_cookie(
        f"survey_{slug}",
        str(visit.id),
        salt=_SALT,
        max_age=_SECONDS,
        path=_url("start", slug),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@bounded
@csrf_protect
def page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Shows or takes the page where the visit stopped, and leads on; other pages lead there."""
    definition = Definition.of(slug)
    if (visit := visit_of(request, definition.survey)) is None:
        return _redirect("start", slug)
    if visit.completed:
        return _redirect("thanks", slug, visit.code)
    flow = definition.flow(visit.answers)
    current = flow.open_page(visit.done)
    if number != current.number:
        return _redirect("page", slug, current.number)
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = PageForm(questions_of(current, flow), *sent)
    if not form.is_valid():  # as it is where nothing was sent
        return _shown(request, definition, flow, current, form)
    answers = form.answers()
    store().save_page(visit, number, answers, form.uploads())
    following = definition.flow({**visit.answers, **answers}).first_open([*visit.done, number])
    if following is not None:
        return _redirect("page", slug, following.number)
    store().complete(visit)
    return _redirect("thanks", slug, visit.code)


@require_safe
@never_cache
def thanks(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The completion code, only for the person who completed the survey."""
    survey = Survey.objects.filter(slug=slug).first()
    visit = visit_of(request, survey) if survey else None
    if visit is None or not visit.completed or visit.code != code:
        raise Http404("No survey was completed with this code in this browser.")
    return rendered(request, "thanks", {"survey": survey, "code": code, "home": _url("list")})


def _shown(
    request: HttpRequest, definition: Definition, flow: Flow, current: Page, form: PageForm
) -> HttpResponse:
    number = current.number
    numbers = [page.number for page in flow.pages()]
    context = {
        "survey": definition.survey,
        "page": current,
        "form": form,
        "home": _url("list"),
        "action": _url("page", definition.survey.slug, number),
        "step": numbers.index(number) + 1,
        "steps": len(numbers),
        "is_last": number == definition.pages[-1].number,
        "keeps_days": COOKIE_DAYS,
    }
    return rendered(request, "page", context)


def _redirect(name: str, *parts: object) -> HttpResponse:
    """303: the next request is always a GET."""
    return HttpResponse(status=303, headers={"Location": _url(name, *parts)})


def _url(name: str, *parts: object) -> str:
    return reverse(f"{NAMES}:{name}", args=parts)
