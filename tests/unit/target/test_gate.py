"""Target views answer whoever asks during a run, in any project."""

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse

from benchsuite.target import urls


def test_no_view_asks_for_a_log_in(rf):
    request = rf.get("/bench/")
    request.user = AnonymousUser()
    middleware = LoginRequiredMiddleware(lambda _: HttpResponse())
    callbacks = [getattr(one, "callback", None) for one in [*urls.urlpatterns, *urls.SURVEYS]]
    views = [view for view in callbacks if view is not None]
    assert len(views) > 20
    for view in views:
        assert middleware.process_view(request, view, (), {}) is None, view
