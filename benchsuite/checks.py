"""System checks: `manage.py check` reports what is wrong in the settings, with an id and a hint."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register
from django.urls import NoReverseMatch, reverse

from benchsuite.conf import problems


@register("benchsuite")
def check_settings(**_: Any) -> list[CheckMessage]:
    """E001 to E017: the BENCHSUITE dict."""
    return [*problems(getattr(settings, "BENCHSUITE", {}))]


@register(Tags.urls)
def check_urls(**_: Any) -> list[CheckMessage]:
    """W001: the pages are not mounted."""
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("benchsuite:list")
        return []
    except NoReverseMatch:
        hint = 'Add path("results/", include("benchsuite.urls")) to the URLconf.'
        return [Warning("The result pages are not mounted.", hint=hint, id="benchsuite.W001")]
