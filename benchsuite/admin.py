"""Stored runs in Django's admin: to look at and to delete, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchsuite.models import Environment, Finding, Measurement, Run, Software
from benchsuite.report import html, queries
from benchsuite.report.abandoned import sweep
from benchsuite.units import MISSING


class ReadOnly(admin.options.BaseModelAdmin):
    """Nothing is added or changed by hand; a measured figure stays what was measured."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MeasurementInline(ReadOnly, admin.TabularInline):
    model = Measurement
    fields = ("scope", "name", "requests", "failures", "throughput", "goodput")
    can_delete = False


class FindingInline(ReadOnly, admin.TabularInline):
    model = Finding
    fields = ("code", "level", "message", "hint")
    can_delete = False


@admin.register(Run)
class RunAdmin(ReadOnly, admin.ModelAdmin):
    list_display = (
        "page",
        "state",
        "started_at",
        "label",
        "workload",
        "server",
        "users",
        "shown_goodput",
        "shown_p95",
    )
    list_display_links = ("started_at",)
    list_filter = ("status", "verdict", "server", "workload", "started_at")
    search_fields = ("label", "server", "workload", "failure")
    date_hierarchy = "started_at"
    inlines = (FindingInline, MeasurementInline)

    def get_queryset(self, request: HttpRequest) -> Any:
        sweep()
        return queries.listed()

    def view_on_site(self, obj: Run) -> str | None:
        return _url(obj)

    @admin.display(description="page")
    def page(self, obj: Run) -> SafeString | str:
        url = _url(obj)
        return format_html('<a href="{}">{}</a>', url, obj.pk.hex[:8]) if url else MISSING

    @admin.display(description="verdict", ordering="verdict")
    def state(self, obj: Run) -> SafeString:
        return html.badge(html.state(obj))

    @admin.display(description="goodput", ordering="goodput")
    def shown_goodput(self, obj: Run) -> str:
        return html.figure(obj, "goodput")

    @admin.display(description="p95", ordering="p95_s")
    def shown_p95(self, obj: Run) -> str:
        return html.figure(obj, "p95_s")


@admin.register(Environment)
class EnvironmentAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("__str__", "created")
    fields = ("fingerprint", "created", "data")


@admin.register(Software)
class SoftwareAdmin(ReadOnly, admin.ModelAdmin):
    fields = ("fingerprint", "data")


def _url(run: Run) -> str | None:
    """The run's page; None where the pages are not mounted."""
    try:
        return run.get_absolute_url()
    except NoReverseMatch:
        return None
