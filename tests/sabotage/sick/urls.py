"""Pages by what is wrong with them."""

from django.urls import path
from django.views.decorators.cache import cache_page

from tests.sabotage.sick import members, views

urlpatterns = [
    path("well/", views.well),
    path("serving/", views.serving),
    path("cached/", cache_page(60)(views.well)),
    path("failing/", views.failing),
    path("lying/", views.lying),
    path("logged-out/", views.logged_out),
    path("sent-to-log-in/", views.sent_to_log_in),
    path("login/", views.login),
    path("drifting/", views.drifting),
    path("stepping/", views.stepping),
    path("unfair/", views.unfair),
    path("pausing/", views.pausing),
    path("one-of-four/", views.one_of_four),
    path("favouring/", views.favouring),
    path("shunning/", views.shunning),
    path("daemon/", views.daemon),
    path("slow/", views.slow),
    path("two-pieces/", views.two_pieces),
    path("dropping/", views.dropping),
    path("resetting/", views.resetting),
    path("truncating/", views.truncating),
    path("hanging/", views.hanging),
    path("crashing/", views.crashing),
    path("branching/", views.branching),
    path("broad/", views.broad),
    path("keeping/", views.keeping),
    path("leaking/", views.leaking),
    path("querying/", views.querying),
    path("losing/", views.losing),
    path("ousting/", members.ousting),
    path("mixing/", members.mixing),
    path("emptied/", members.emptied),
    path("leading-away/", members.leading_away),
    path("changing/<kind>/", members.changing),
]
