"""What is under way, for pages that draw it: asked again and again, or sent over a WebSocket."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache

from benchsuite.report import live
from benchsuite.views.access import NotShown
from benchsuite.views.page import guarded

SOCKET = "benchsuite.live"  #: In the scope of requests where `benchsuite.asgi.live` serves.

REFRESH_S, REFRESH_WHOLE_S = 5, 30
"""Without scripts; the page of a study or a tuning works out what is known so far each time."""
OVER = {"over": True}


@never_cache
@guarded
def show(request: HttpRequest, kind: str, pk: UUID) -> HttpResponse:
    """What is new since the seconds that the page has (`since`) of a command (`journal`)."""
    watch = watch_of(request, kind, pk)
    if watch is None:
        raise NotShown(f"There is no {kind[:20]} {pk} to be followed.")
    return JsonResponse(watch.look() or OVER)


def watch_of(request: HttpRequest, kind: str, pk: UUID) -> live.Watch | None:
    since = request.GET.get("since", "")
    many = int(since) if since.isascii() and since.isdigit() and len(since) < 9 else 0
    watch = live.Watch(kind, pk, key=request.GET.get("journal", ""), since=many)
    return watch if watch.exists else None


def context(request: HttpRequest, kind: str, pk: UUID) -> dict[str, Any] | None:
    """What a page needs to draw it, as its variable `live`; None for what is not under way."""
    first = live.Watch(kind, pk).look()
    if not first:
        return None
    return {
        **first,
        "url": reverse("benchsuite:live", args=[kind, pk]),
        "by_socket": bool(getattr(request, "scope", {}).get(SOCKET)),
        "leads": kind != live.STUDY and "journal" in first,  # it says what the page's answer would
        "refresh_s": REFRESH_S if kind == live.RUN else REFRESH_WHOLE_S,
    }


@never_cache
@guarded
def under_way(request: HttpRequest) -> HttpResponse:
    """The rows of the list that are under way, as HTML, and how many they are."""
    rows = live.under_way()
    html = render_to_string("benchsuite/_under_way.html", {"under_way": rows})
    return JsonResponse({"html": html, "count": len(rows)})
