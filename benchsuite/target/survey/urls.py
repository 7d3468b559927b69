"""The URLs of the survey application, relative to the target's."""

from django.urls import path

from benchsuite.target.survey import views

app_name = views.NAMES

urlpatterns = [
    path("", views.listing, name="list"),
    path("<slug:slug>/", views.start, name="start"),
    path("<slug:slug>/<int:number>/", views.page, name="page"),
    path("<slug:slug>/thanks/<str:code>/", views.thanks, name="thanks"),
]
