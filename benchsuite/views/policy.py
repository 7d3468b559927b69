"""The Content-Security-Policy of our pages: nothing from elsewhere, and nothing to elsewhere."""

from urllib.parse import urlsplit

from django.http import HttpResponseBase
from django.templatetags.static import static

HEADER = "Content-Security-Policy"


def protect(response: HttpResponseBase, login: str | None) -> None:
    """Sets the header, which middlewares that set one of their own leave as it is.

    Without any inline script or style there is no need of a nonce. A form may end at the login,
    which may be another site's.
    """
    files = _sources(static("benchsuite/benchsuite.css"), static("benchsuite/benchsuite.js"))
    policy = {
        "default-src": "'none'",
        "script-src": files,
        "style-src": files,
        "img-src": f"{files} data: blob:",  # a chart is saved as a picture of itself
        "form-action": _sources(login or ""),
        "base-uri": "'none'",
        "frame-ancestors": "'self'",
    }
    text = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    response.headers.setdefault(HEADER, text)


def _sources(*urls: str) -> str:
    """Our own origin, and those of the URLs that lead to another."""
    parts = [urlsplit(url) for url in urls]
    others = [f"{one.scheme}://{one.netloc}" if one.scheme else one.netloc for one in parts]
    return " ".join(dict.fromkeys(["'self'", *filter(None, others)]))
