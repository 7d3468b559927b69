"""Two bytes of text, and the header by which a run knows its own server."""

import os
import time

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
