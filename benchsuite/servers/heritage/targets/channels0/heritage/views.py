"""Two bytes of text, and the header by which a run knows its own server; at an address of its own
and where today's target has it. Channels needs no route: HTTP goes to Django's views by itself.
"""

import os
import time

from django.conf.urls import url
from django.http import HttpResponse

RUN = os.environ.get("BENCHSUITE_RUN", "")


def plain(request):
    response = HttpResponse("OK", content_type="text/plain")
    response["X-Benchsuite-Run"] = RUN
    return response


def slow(request):
    """Long enough to be under way while the server is stopped."""
    time.sleep(1)
    return plain(request)


routes = []
urlpatterns = [
    url(r"^$", plain),
    url(r"^bench/plain/$", plain),
    url(r"^slow/$", slow),
]
