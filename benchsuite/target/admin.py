"""Surveys in Django's admin."""

from django.contrib import admin

from benchsuite.target.survey.definitions import Choice, Condition, Page, Question, Survey


class PageInline(admin.TabularInline):
    model = Page
    fields = ("number", "title", "intro")
    extra = 0
    show_change_link = True


class QuestionInline(admin.TabularInline):
    """Limits depend on the kind of a question and are edited on its own page."""

    model = Question
    fields = ("position", "name", "kind", "text", "required")
    extra = 0
    show_change_link = True


class ChoiceInline(admin.TabularInline):
    model = Choice
    extra = 0


class ConditionInline(admin.TabularInline):
    model = Condition
    fields = ("source", "operator", "value")
    raw_id_fields = ("source",)
    extra = 0
    verbose_name_plural = "conditions: asked only where all of them hold"


class QuestionConditionInline(ConditionInline):
    fk_name = "question"


@admin.register(Survey)
class SurveyAdmin(admin.ModelAdmin):
    list_display = ("title", "slug")
    prepopulated_fields = {"slug": ("title",)}
    inlines = (PageInline,)


@admin.register(Page)
class PageAdmin(admin.ModelAdmin):
    list_display = ("title", "survey", "number")
    list_filter = ("survey",)
    inlines = (QuestionInline, ConditionInline)


@admin.register(Question)
class QuestionAdmin(admin.ModelAdmin):
    list_display = ("text", "page", "position", "kind", "required")
    list_filter = ("page__survey", "kind")
    list_select_related = ("page__survey",)
    search_fields = ("text", "name")
    inlines = (ChoiceInline, QuestionConditionInline)
