"""Pages by what is wrong with them: each view by its name."""

from django.urls import path
from django.views.decorators.cache import cache_page

from tests.sabotage.sick import members, views

OF_MEMBERS = ("ousting", "mixing", "emptied", "leading_away")
ALONE = (
    *("well", "serving", "failing", "lying", "logged_out", "drifting", "unfair", "pausing"),
    *("one_of_four", "favouring", "shunning", "daemon", "slow", "two_pieces", "dropping"),
    *("crashing", "branching", "broad", "keeping", "leaking", "querying", "losing"),
)

urlpatterns = [
    path("cached/", cache_page(60)(views.well)),
    path("changing/<kind>/", members.changing),
]
for module, names in ((views, ALONE), (members, OF_MEMBERS)):
    for name in names:
        urlpatterns.append(path(f"{name.replace('_', '-')}/", getattr(module, name)))
