"""Where the Redis of a URL listens, and its URL when it is reached elsewhere: pure functions."""

from urllib.parse import quote, unquote, urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.sentinel import is_by_sentinel

PORT = 6379


def address(url: str) -> tuple[str, int]:
    """Host and port; of a Unix socket its path, and 0.

    Raises UsageError for a Redis that is not reached where its URL says, or not under another name.
    """
    if is_by_sentinel(url):
        raise UsageError(
            "--delay-to-layer delays one Redis, and the Sentinels of --layer-url name another one "
            "whenever they like; give the URL of the Redis itself."
        )
    parts = urlsplit(url)
    if parts.scheme == "rediss":
        raise UsageError(
            "--delay-to-layer needs a proxy on 127.0.0.1, for which the certificate of a Redis by "
            "TLS does not hold; give --layer-url as redis://."
        )
    if parts.scheme == "unix":
        return unquote(parts.path), 0
    try:
        return parts.hostname or "localhost", parts.port or PORT
    except ValueError as error:
        raise UsageError(
            f"--layer-url has a wrong port ({error}); write redis://HOST:PORT/0."
        ) from None


def moved(url: str, place: tuple[str, int]) -> str:
    """The same URL with that address in place of its own; user, password and database stay."""
    parts = urlsplit(url)
    host, port = place
    who, at, _ = parts.netloc.rpartition("@")
    where = quote(host) if parts.scheme == "unix" else f"{host}:{port}{parts.path}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{who}{at}{where}{query}"
