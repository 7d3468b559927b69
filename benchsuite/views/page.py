"""Renders pages in any project, for those who may see them; sends files while they are made."""

import logging
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from functools import partial, wraps
from io import StringIO
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.db import Error
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.gzip import gzip_page

from benchsuite import conf, store
from benchsuite.core.answer import Answer
from benchsuite.core.commands import PROGRAM_VARIABLE, as_called
from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden, printable
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.exports import csv_of, json_of
from benchsuite.report.pages.html import one_file
from benchsuite.report.writers import to_markdown
from benchsuite.views import access

View = Callable[..., HttpResponseBase]
TITLES = {400: "That can’t be shown", 403: "No access", 404: "Not found"}  #: By status.

logger = logging.getLogger("benchsuite")


def guarded(view: View) -> View:
    """Applies the access rule first; redirects the others to the log-in page, if there is one.
    What the view raises as UsageError is a page that says so.

    Users with access see no run as running whose command has ended, and a sentence if the database
    refuses; only they see its name.
    """

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = _answer(view, request, *args, **kwargs)
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        access.protect(response, access.login_url())
        called = os.environ.get(PROGRAM_VARIABLE) and not response.has_header("Content-Disposition")
        if called and isinstance(response, HttpResponse):  # files are made in these words
            response.content = as_called(response.content.decode())
        return response

    # The project may lack the middleware, and have one that caches all pages.
    return gzip_page(csrf_protect(cache_control(private=True)(asked)))


def _answer(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    try:
        rule = conf.access_rule()
    except UsageError as error:
        return _unavailable("The setting BENCHSUITE is invalid; see the log.", str(error))
    let_in: bool | HttpResponseBase = False
    try:
        let_in = rule(request)
        if isinstance(let_in, HttpResponseBase):
            return let_in
        if not let_in:
            return _denied(request)
        store.sweep()
        try:
            return view(request, *args, **kwargs)
        except UsageError as error:
            status = getattr(error, "status", 400)
            context = {"title": TITLES[status], "message": str(error)}
            return page(request, "problem", context, status=status)
    except (Error, ImproperlyConfigured) as error:
        refusal = printable(hidden(store.refusal(error)))
        reason = refusal if let_in else "The database can't be asked who has access; see the log."
        return _unavailable(reason, refusal, error, closed=not let_in)


def _unavailable(
    message: str, logged: str, error: Exception | None = None, *, closed: bool = True
) -> HttpResponse:
    """Rendered without the request: a project's context processors may query the database too."""
    logger.error("A page could not be shown: %s", logged, exc_info=error)
    context = {"title": "That can’t be shown now", "message": message, "closed": closed}
    return HttpResponse(render_to_string("benchsuite/problem.html", context), status=503)


def _denied(request: HttpRequest) -> HttpResponseBase:
    user, login = getattr(request, "user", None), access.login_url()
    message = "These pages are for staff only, unless BENCHSUITE['ACCESS'] says otherwise."
    if access.open_by_token():
        message = (
            "Open the address that was printed when these pages were started; it ends in a token."
        )
    elif login and user is not None and not user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login)
    context = {"request": request, "title": "No access", "message": message, "closed": True}
    return render(request, "benchsuite/problem.html", context, status=403)


def page(
    request: HttpRequest, name: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Renders a template with what all need."""
    common = {
        "request": request,
        "admin_url": access.url_or_none("admin:index"),
        "may_note": partial(access.may, request, "change_note"),  # asked where it matters
        "open_by_token": access.open_by_token(),
    }
    return render(request, f"benchsuite/{name}.html", {**common, **context}, status=status)


def page_or_file(request: HttpRequest, name: str, context: Mapping[str, Any]) -> HttpResponseBase:
    """The same, or one file with ?format=html and, of what has an answer, ?format=md."""
    if not (wanted := request.GET.get("format")):
        return page(request, name, context)
    formats: dict[str, Callable[[], Iterable[str]]] = {"html": lambda: [one_file(name, context)]}
    if answer := context.get("answer"):
        formats["md"] = lambda: [to_markdown(answer)]
    filename = re.sub(r"[^\w-]+", "-", f"{name}-{context['title']}").strip("-")
    return download(request, wanted, filename, formats)


CHUNK_LETTERS = 64 * 1024
TYPES = {"csv": "text/csv", "html": "text/html", "json": "application/json", "md": "text/markdown"}

Formats = Mapping[str, Callable[[], Iterable[str]]]


def formats_of(
    template: str,
    context: Callable[[], Mapping[str, Any]],
    answer: Answer,
    runs: QuerySet[Run],
    more: Formats | None = None,
) -> Formats:
    """The formats of a page with an answer, which `runs` are evidence of; `more` come second."""
    return {
        "md": lambda: [to_markdown(answer)],
        **(more or {}),
        "html": lambda: [one_file(template, context())],
        "json": lambda: json_of(queries.by_and_by(runs)),
    }


def download(request: HttpRequest, wanted: str, name: str, formats: Formats) -> HttpResponseBase:
    """In the format that is wanted, of those that can be made; raises UsageError for others."""
    if wanted not in formats:
        raise UsageError(f"There is no format {wanted[:60]!r}; there are: {', '.join(formats)}.")
    chunks = _chunks(formats[wanted]())
    kept_as = content_disposition_header(as_attachment=True, filename=f"{name}.{wanted}")
    return StreamingHttpResponse(
        _in_turn(chunks) if isinstance(request, ASGIRequest) else chunks,
        content_type=f"{TYPES[wanted]}; charset=utf-8",
        headers={"Content-Disposition": kept_as},
    )


def _chunks(pieces: Iterable[str]) -> Iterator[str]:
    held = StringIO()
    for piece in pieces:
        held.write(piece)
        if held.tell() >= CHUNK_LETTERS:
            yield held.getvalue()
            held = StringIO()
    yield held.getvalue()


async def _in_turn(chunks: Iterator[str]) -> AsyncIterator[str]:
    """The same for ASGI, where Django would first read an ordinary iterator to its end."""
    following = sync_to_async(lambda: next(chunks, None))
    while (chunk := await following()) is not None:
        yield chunk


def send_runs(request: HttpRequest, runs: Iterable[Run], name: str) -> HttpResponseBase:
    """In the `format` that is asked for."""
    formats = {"csv": lambda: csv_of(runs), "json": lambda: json_of(runs)}
    return download(request, request.GET.get("format", "json"), name, formats)


def wanted_ids(request: HttpRequest) -> list[str]:
    """The IDs in `runs`, separated by commas, repeated, or both."""
    given = request.POST if request.method == "POST" else request.GET
    return [part for value in given.getlist("runs") for part in value.split(",") if part.strip()]
