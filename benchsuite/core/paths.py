"""Paths of pages, as people write them and as a request says them."""

from functools import lru_cache
from urllib.parse import SplitResult, quote

from benchsuite.core.exceptions import UsageError

LEFT_ALONE = "!$%&'()*+,/:;=?@[]~"  #: `%` because a path may come quoted already.
MAX_KNOWN = 1024


@lru_cache(MAX_KNOWN)
def quoted(path: str) -> str:
    """The path, with its query, as a browser would send it: `/ü b?c=d` → `/%C3%BC%20b?c=d`.

    Raises UsageError for what is no path on the server, or would be sent as something else.
    """
    if not path.startswith("/"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    if "#" in path:
        raise UsageError(
            f"The path {path!r} has a fragment, which no browser sends to a server; leave out what "
            "begins with # (a # that belongs to the path is written %23)."
        )
    if any(ord(one) < 32 or ord(one) == 127 for one in path):
        raise UsageError(
            f"The path {path!r} holds a control character; leave it out, or write it as a server "
            "would be sent it: %0A for a line end."
        )
    return _quoted(path)


def check_written(path: str) -> None:
    """Raises UsageError for what somebody can't have meant as a path, `//host/shop/` included."""
    if path.startswith("//"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    quoted(path)


def path_of(url: SplitResult) -> str:
    """Path and query that a browser asks for when a server leads it to this URL; `//x` is one."""
    path = url.path or "/"
    return _quoted(f"{path}?{url.query}" if url.query else path)


def _quoted(path: str) -> str:
    # what a shell gave us and is no UTF-8 goes out as the bytes that it was
    return quote(path, LEFT_ALONE, errors="surrogateescape")
