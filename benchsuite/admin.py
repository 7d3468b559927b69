"""Stored runs in Django's admin: to look at and to delete, never to change.

Every command of a project reads this module: what only its pages need is imported by them.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchsuite import models
from benchsuite.core.units import MISSING
from benchsuite.models import Run, StudyRun, Tuning


class ReadOnly(admin.options.BaseModelAdmin):
    """Nothing is changed by hand; a figure stays what was measured."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FindingInline(ReadOnly, admin.TabularInline):
    model = models.Finding
    fields = ("code", "level", "message", "hint")
    can_delete = False


class WithPage(ReadOnly, admin.ModelAdmin):
    list_display_links = ("started_at",)
    date_hierarchy = "started_at"

    def view_on_site(self, obj: Run | StudyRun | Tuning) -> str | None:
        """None where the pages are not mounted."""
        try:
            return obj.get_absolute_url()
        except NoReverseMatch:
            return None

    @admin.display(description="page")
    def page(self, obj: Run | StudyRun | Tuning) -> SafeString | str:
        url = self.view_on_site(obj)
        return format_html('<a href="{}">{}</a>', url, obj.pk.hex[:8]) if url else MISSING


@admin.register(Run)
class RunAdmin(WithPage):
    list_display = ("page", "state", "started_at", "label", "workload", "server", "users")
    list_filter = ("status", "verdict", "server", "workload", "started_at")
    search_fields = ("label", "server", "workload", "failure")
    inlines = (FindingInline,)

    def get_queryset(self, request: HttpRequest) -> Any:
        from benchsuite.report import queries
        from benchsuite.store import sweep

        sweep()
        return queries.listed()

    @admin.display(description="verdict", ordering="verdict")
    def state(self, obj: Run) -> SafeString:
        from benchsuite.report.pages.html import badge
        from benchsuite.report.sentences import state

        return badge(state(obj))


class ExecutionAdmin(WithPage):
    list_filter = ("status", "started_at")
    search_fields = ("label",)

    def get_queryset(self, request: HttpRequest) -> Any:
        from benchsuite.store import sweep_executions

        sweep_executions()
        return super().get_queryset(request)

    @admin.display(description="status", ordering="status")
    def state(self, obj: StudyRun | Tuning) -> SafeString:
        from benchsuite.report.pages import html

        return html.badge(obj.status)


@admin.register(StudyRun)
class StudyRunAdmin(ExecutionAdmin):
    list_display = ("page", "state", "started_at", "label", "name", "scale", "repeat")


@admin.register(Tuning)
class TuningAdmin(ExecutionAdmin):
    list_display = ("page", "state", "started_at", "label", "servers")
