"""Each says thanks; only what is stored differs."""

import itertools
import threading
import time
from collections.abc import Callable

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.mail import send_mail
from django.db import connection
from django.http import HttpRequest, HttpResponse

from tests.sabotage.sick.storing.models import Entry, Seen

LATE_S = 0.5
CAP = 10

_sent = itertools.count(1)


def _store(text: str, times: int = 1) -> None:
    Entry.objects.bulk_create(Entry(text=text) for _ in range(times))


def _late(text: str) -> None:
    def later() -> None:
        time.sleep(LATE_S)
        _store(text)
        connection.close()

    threading.Thread(target=later).start()


def _capped(text: str) -> None:
    _store(text)
    kept = Entry.objects.order_by("-pk").values_list("pk", flat=True)[:CAP]
    Entry.objects.exclude(pk__in=[*kept]).delete()


def _hesitating(text: str) -> None:
    """What asks again of another instance meanwhile has stored it twice."""
    _store(text)
    if next(_sent) % 20 == 0:
        time.sleep(LATE_S)


def _mail(text: str, times: int = 1) -> None:
    for _ in range(times):
        send_mail("a copy", text, "us@shop.example", ["you@shop.example"])


def _refused(text: str) -> None:
    """The form is shown again."""


KINDS: dict[str, Callable[[str], object]] = {
    "honest": _store,
    "late": _late,
    "capped": _capped,
    "refusing": _refused,
    "hesitating": _hesitating,
    "mailing": _mail,
    "forgetting": lambda text: _mail(text, int(next(_sent) % 20 > 0)),
    "uploading": lambda text: default_storage.save("upload.txt", ContentFile(text)),
    "once": lambda text: Entry.objects.get_or_create(text="the same"),
    "choosing": lambda text: Entry.objects.get_or_create(text=text),
    "halving": lambda text: _store(text, next(_sent) % 2),
    "losing": lambda text: _store(text, int(next(_sent) % 20 > 0)),
    "doubling": lambda text: _store(text, 1 + int(next(_sent) % 20 == 0)),
}


def page(request: HttpRequest, kind: str) -> HttpResponse:
    Seen.objects.create(path=request.path)
    if request.method == "POST":
        KINDS[kind](request.POST["text"])
    return HttpResponse("all is well")
