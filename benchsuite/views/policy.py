"""The Content-Security-Policy of our pages: nothing from or to other sites."""

from urllib.parse import urlsplit

from django.http import HttpResponseBase
from django.templatetags.static import static

HEADER = "Content-Security-Policy"


def protect(response: HttpResponseBase, login: str | None) -> None:
    """Sets the header, which middlewares with a policy of their own leave unchanged.

    Without inline scripts and styles no nonce is needed. A form may lead to the log-in page, which
    may be on another site.
    """
    files = _sources(static("benchsuite/benchsuite.css"), static("benchsuite/benchsuite.js"))
    policy = {
        "default-src": "'none'",
        "script-src": files,
        "style-src": files,
        "img-src": f"{files} data: blob:",  # charts are saved as pictures
        "form-action": _sources(login or ""),
        "base-uri": "'none'",
        "frame-ancestors": "'self'",
    }
    text = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers.setdefault(HEADER, text)


def _sources(*urls: str) -> str:
    """Our own origin, and the other origins among the URLs."""
    parts = [urlsplit(url) for url in urls]
    foreign = [f"{one.scheme}://{one.netloc}" if one.scheme else one.netloc for one in parts]
    return " ".join(dict.fromkeys(["'self'", *filter(None, foreign)]))
