"""Pages by what they do with a form."""

from django.urls import path

from tests.sabotage.sick.storing import views

urlpatterns = [path("<kind>/", views.page)]
