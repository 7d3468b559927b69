"""Paths of pages, as people write them and as requests send them."""

from functools import lru_cache
from urllib.parse import SplitResult, quote

from benchsuite.core.exceptions import UsageError

LEFT_ALONE = "!$%&'()*+,/:;=?@[]~"  #: `%` because a path may already be quoted.
MAX_KNOWN = 1024


@lru_cache(MAX_KNOWN)
def quoted(path: str) -> str:
    """The path, with its query, as a browser would send it: `/ü b?c=d` → `/%C3%BC%20b?c=d`.

    Raises UsageError for what is no path on the server, or would be sent differently.
    """
    if not path.startswith("/"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    if "#" in path:
        raise UsageError(
            f"The path {path!r} has a fragment, which browsers never send; remove it from the # on "
            "(write a # that belongs to the path as %23)."
        )
    if any(ord(one) < 32 or ord(one) == 127 for one in path):
        raise UsageError(
            f"The path {path!r} contains a control character; remove it, or percent-encode it: %0A "
            "for a newline."
        )
    return _quoted(path)


def check_written(path: str) -> None:
    """Raises UsageError for what can't be meant as a path, such as `//host/shop/`."""
    if path.startswith("//"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    quoted(path)


def path_of(url: SplitResult) -> str:
    """Path and query that a browser requests when redirected to this URL; `//x` is one."""
    path = url.path or "/"
    return _quoted(f"{path}?{url.query}" if url.query else path)


def _quoted(path: str) -> str:
    # what came from a shell and is not UTF-8 is sent as the same bytes
    return quote(path, LEFT_ALONE, errors="surrogateescape")
