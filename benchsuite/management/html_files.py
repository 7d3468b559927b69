"""Writes a page of the console as one HTML file, whether or not the project has mounted pages."""

import inspect
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import get_urlconf, include, path, resolve, reverse, set_urlconf

from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.management import streams

FLAG = "--html"
PAGES: Any = (path("", include("benchsuite.urls")),)


def write(file: str, name: str, *args: object, **query: object) -> None:
    """The page of that view, as its link "HTML file" gives it; raises BenchsuiteError."""
    before = get_urlconf()
    set_urlconf(PAGES)
    try:
        request = HttpRequest()
        request.method, request.path = "GET", reverse(f"benchsuite:{name}", args=args)
        request.GET = QueryDict(urlencode({**query, "format": "html"}))
        view = resolve(request.path)
        show = inspect.unwrap(view.func)  # nobody has to sign in
        page = show(request, *view.args, **view.kwargs)
        content = b"".join(page).decode()
    finally:
        set_urlconf(before)
    if page.status_code != 200:
        raise BenchsuiteError(f"{FLAG}={file} can't be written: there is no such page.")
    streams.write(file, content)
