"""Surveys in Django's admin: definitions to edit, answers to look at."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from benchsuite.target.survey.definitions import Choice, Condition, Page, Question, Survey
from benchsuite.target.survey.store import Answer, Participation, Upload


class Inline(admin.TabularInline):
    """Rows that are read with those that their names stand on."""

    extra = 0
    related: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        queryset: QuerySet[Any] = super().get_queryset(request)
        return queryset.select_related(*self.related)


class PageInline(Inline):
    model = Page
    fields = ("number", "title", "intro")
    related = ("survey",)
    show_change_link = True


class QuestionInline(Inline):
    """Limits depend on the kind of a question and are edited on its own page."""

    model = Question
    fields = ("position", "name", "kind", "text", "required")
    related = ("page__survey",)
    show_change_link = True
    ordering = ("position",)


class ChoiceInline(Inline):
    model = Choice
    related = ("question",)
    ordering = ("position",)


class ConditionInline(Inline):
    """Offers the questions of earlier pages of the same survey."""

    model = Condition
    fields = ("source", "operator", "value")
    related = ("source", "page", "question__page")
    verbose_name_plural = "conditions: asked only where all of them hold"

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset: Any = super().get_formset(request, obj, **kwargs)
        page = obj.page if isinstance(obj, Question) else obj
        sources = Question.objects.select_related("page__survey")
        formset.form.base_fields["source"].queryset = (
            sources.filter(page__survey=page.survey, page__number__lt=page.number)
            if page
            else sources.none()
        )
        return formset


class QuestionConditionInline(ConditionInline):
    fk_name = "question"


def _count_of(what: str) -> Any:
    """A column of lists of surveys, which its queryset counts."""

    @admin.display(description=f"{what}s", ordering=f"{what}_count")
    def count(survey: Any) -> int:
        return int(getattr(survey, f"{what}_count"))

    count.__name__ = f"{what}_count"
    return count


@admin.register(Survey)
class SurveyAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", *map(_count_of, ("page", "question", "completion")))
    search_fields = ("title", "slug")
    prepopulated_fields = {"slug": ("title",)}
    inlines = (PageInline,)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Survey]":
        queryset: QuerySet[Survey] = super().get_queryset(request)
        completed = Q(participations__completed__isnull=False)
        return queryset.annotate(
            page_count=Count("pages", distinct=True),
            question_count=Count("pages__questions", distinct=True),
            completion_count=Count("participations", filter=completed, distinct=True),
        )


@admin.register(Page)
class PageAdmin(admin.ModelAdmin):
    list_display = ("title", "survey", "number")
    list_filter = ("survey",)
    list_select_related = ("survey",)
    inlines = (QuestionInline, ConditionInline)


@admin.register(Question)
class QuestionAdmin(admin.ModelAdmin):
    list_display = ("text", "page", "position", "kind", "required")
    list_filter = ("page__survey", "kind")
    list_select_related = ("page__survey",)
    search_fields = ("text", "name")
    inlines = (ChoiceInline, QuestionConditionInline)


class LookOnly:
    """Read-only: people's answers must not be changed by hand."""

    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AnswerInline(LookOnly, Inline):
    model = Answer
    fields = ("question", "value")
    related = ("question__page__survey",)
    ordering = ("question__page__number", "question__position")


class UploadInline(LookOnly, Inline):
    model = Upload
    fields = ("question", "name", "content_type")
    related = ("question__page__survey",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Upload]":
        return super().get_queryset(request).defer("content")


@admin.register(Participation)
class ParticipationAdmin(LookOnly, admin.ModelAdmin):
    list_display = ("code", "survey", "started", "completed")
    list_filter = ("survey", "completed")
    list_select_related = ("survey",)
    search_fields = ("code",)
    inlines = (AnswerInline, UploadInline)
