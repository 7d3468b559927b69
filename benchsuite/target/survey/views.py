"""The pages of the survey application; they answer only inside a run."""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.template.backends.django import DjangoTemplates
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from benchsuite.target.gate import only_in_a_run
from benchsuite.target.survey.definitions import LARGEST_UPLOAD, Page, Survey
from benchsuite.target.survey.forms import PageForm
from benchsuite.target.survey.reading import Definition, listed, questions_of, stale
from benchsuite.target.survey.store import Visit, store

LARGEST_BODY = 2 * LARGEST_UPLOAD
P = ParamSpec("P")


def bounded(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Answers 413 to more than LARGEST_BODY bytes."""

    @wraps(view)
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return rendered(request, "too_large", {"most": LARGEST_BODY}, status=413)
        return view(request, *args, **kwargs)

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
    """None without a cookie, or if it is forged, expired or another survey's."""
    name = f"survey_{survey.slug}"
    key = request.get_signed_cookie(name, default=None, salt=_SALT, max_age=_SECONDS)
    return store().visit(survey, key) if key else None


def remember(
    request: HttpRequest, response: HttpResponse, survey: Survey, visit: Visit, path: str
) -> HttpResponse:
    """The response, with the cookie for the pages below `path`."""
    response.set_signed_cookie(
        f"survey_{survey.slug}",
        str(visit.id),
        salt=_SALT,
        max_age=_SECONDS,
        path=path,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


NAMES = "benchsuite_survey"  #: The namespace of the URLs.


@require_safe
@only_in_a_run
@never_cache
def listing(request: HttpRequest) -> HttpResponse:
    """All surveys with pages."""
    return rendered(request, "list", {"surveys": listed()})


@require_safe
@only_in_a_run
@never_cache
@csrf_protect
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """The first page; redirects an earlier visit to where it stopped."""
    definition = Definition.of(slug)
    visit = visit_of(request, definition.survey)
    if visit is None or visit.completed:
        visit = store().begin(definition.survey)
    flow = definition.flow(visit.answers)
    if not (shown := flow.pages()):
        raise Http404(f"Every page of the survey {slug} depends on another one.")
    if visit.done:
        response = _to_open(definition, visit)
    else:
        first = shown[0]
        form = PageForm(questions_of(first, flow), visit.answers)
        response = _shown(request, definition, visit, first, form)
    return remember(request, response, definition.survey, visit, _url("start", slug))


@require_http_methods(["GET", "HEAD", "POST"])
@only_in_a_run
@never_cache
@bounded
@csrf_protect
def page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Shows a page, or stores its valid answers and redirects to the next one; going back stores
    them too and requires no others.
    """
    definition = Definition.of(slug)
    current = definition.page(number)
    visit = visit_of(request, definition.survey)
    if visit is None:
        return _redirect("start", slug)
    if visit.completed:
        return _redirect("thanks", slug, visit.code)
    flow = definition.flow(visit.answers)
    if not flow.may_open(number, visit.done):
        return _to_open(definition, visit)
    questions = questions_of(current, flow)
    if request.method != "POST":
        return _shown(request, definition, visit, current, PageForm(questions, visit.answers))
    form = PageForm(questions, visit.answers, request.POST, request.FILES)
    valid, goes_back = form.is_valid(), "back" in request.POST
    answers, uploads = form.answers(), form.uploads()
    if valid or goes_back or uploads:  # a page can't show a file again, unlike text
        store().save_page(visit, number, answers, uploads, done=valid)
        form.note_kept(answers)
    if not valid and not goes_back:
        return _shown(request, definition, visit, current, form)
    flow = definition.flow({**visit.answers, **answers})
    following = (flow.before(number) or current) if goes_back else flow.after(number)
    if following is not None:
        return _redirect("page", slug, following.number)
    store().complete(visit, stale(definition, visit, flow))
    return _redirect("thanks", slug, visit.code)


@require_safe
@only_in_a_run
@never_cache
def thanks(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The completion code, only for the person who completed the survey."""
    survey = Survey.objects.filter(slug=slug).first()
    visit = visit_of(request, survey) if survey else None
    if visit is None or not visit.completed or visit.code != code:
        raise Http404("No survey was completed with this code in this browser.")
    return rendered(request, "thanks", {"survey": survey, "code": code, "home": _url("list")})


def _shown(
    request: HttpRequest, definition: Definition, visit: Visit, current: Page, form: PageForm
) -> HttpResponse:
    flow = definition.flow(visit.answers)
    slug, number = definition.survey.slug, current.number
    numbers = [page.number for page in flow.pages()]
    context = {
        "survey": definition.survey,
        "page": current,
        "form": form,
        "home": _url("list"),
        "action": _url("page", slug, number),
        "step": numbers.index(number) + 1,
        "steps": len(numbers),
        "has_back": flow.before(number) is not None,
        "is_last": flow.after(number) is None and definition.may_end_with(number),
        "keeps_days": COOKIE_DAYS,
    }
    return rendered(request, "page", context)


def _to_open(definition: Definition, visit: Visit) -> HttpResponse:
    """To the first page that is not done, else to the last one."""
    flow = definition.flow(visit.answers)
    target = flow.first_open(visit.done) or flow.pages()[-1]
    return _redirect("page", definition.survey.slug, target.number)


def _redirect(name: str, *parts: object) -> HttpResponse:
    """303: the next request is always a GET."""
    return HttpResponse(status=303, headers={"Location": _url(name, *parts)})


def _url(name: str, *parts: object) -> str:
    return reverse(f"{NAMES}:{name}", args=parts)
