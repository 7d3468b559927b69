"""Pages of members that go wrong with status 200 after a while, and some that only change."""

import gzip
import random
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse

SOUND_S = 1.2
"""From the first answer on each page is right for this long: while it is rehearsed."""
EACH = 5
"""Then one answer of so many is wrong."""

ROW = "<tr><td>a row of what there is</td></tr>\n"
OUT = '<a href="/accounts/logout/">Log out</a>'

_begun: dict[str, float] = {}


def _is_wrong(page: str) -> bool:
    begun = _begun.setdefault(page, time.monotonic())
    return time.monotonic() - begun > SOUND_S and random.randrange(EACH) == 0


def _page(title: str, body: str, out: str = OUT) -> HttpResponse:
    return HttpResponse(f"<html><title>{title}</title><body>{out}<p>{body}</body></html>")


def ousting(request: HttpRequest) -> HttpResponse:
    """The session has ended: the log-in page, where the member was, with status 200."""
    if _is_wrong("ousting"):
        return _page("Shop", '<form><input name="password" type="password"></form>', "")
    return _page("Shop", ROW * 20)


def mixing(request: HttpRequest) -> HttpResponse:
    """The page of another member."""
    return _page(f"Account of {'bert' if _is_wrong('mixing') else 'anna'}", ROW * 20)


def emptied(request: HttpRequest) -> HttpResponse:
    """JSON that says what is wrong."""
    text = '{"error": "no database"}' if _is_wrong("emptied") else '{"rows": [1, 2, 3]}'
    return HttpResponse(text, content_type="application/json")


def leading_away(request: HttpRequest) -> HttpResponse:
    """A redirect to the log-in, where one to what was made was due."""
    return HttpResponseRedirect(
        "/accounts/login/?next=/" if _is_wrong("away") else f"/made/{random.random()}"[:10]
    )


def _rows() -> HttpResponse:
    advertisement = random.choice(["", "<aside><form><input></form>Buy!</aside>"])
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{random.random()}">'
    listed = ROW * random.randrange(10, 60)
    return _page(f"Shop ({time.monotonic():.0f})", f"{advertisement}{token}{time.time()}{listed}")


def _article() -> HttpResponse:
    return _page(f"Article {random.choice('ABCDEFGH')}", ROW * random.randrange(200))


def _streamed() -> StreamingHttpResponse:
    return StreamingHttpResponse(ROW for _ in range(random.randrange(5, 9)))


def _zipped() -> HttpResponse:
    content = gzip.compress(ROW.encode() * 9 + random.randbytes(random.randrange(300, 400)))
    return HttpResponse(content, headers={"Content-Encoding": "gzip"})


def _json() -> HttpResponse:
    rows = ", ".join(str(random.random()) for _ in range(random.randrange(100)))
    return HttpResponse(f'{{"rows": [{rows}]}}', content_type="application/json")


CHANGING: dict[str, Callable[[], HttpResponse | StreamingHttpResponse]] = {
    "rows": _rows,
    "article": _article,
    "streamed": _streamed,
    "zipped": _zipped,
    "json": _json,
    "binary": lambda: HttpResponse(random.randbytes(2000), content_type="image/png"),
    "nothing": lambda: HttpResponse(status=204),
}


def changing(request: HttpRequest, kind: str) -> HttpResponse | StreamingHttpResponse:
    """Right each time, and hardly ever the same."""
    return CHANGING[kind]()
