"""The pages, by what limits them."""

from django.urls import include, path

from benchmarks.limited import views

urlpatterns = [
    path("", include("testproject.urls_target")),
    path("asking/", views.asking),
    path("blocking/", views.blocking),
    path("collecting/", views.collecting),
    path("keeping/", views.keeping),
    path("looping/", views.looping),
    path("pieces/", views.pieces),
    path("polling/", views.polling),
    path("unequal/", views.unequal),
    path("writing/", views.writing),
]
