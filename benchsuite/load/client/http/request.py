"""What a request carries: the cookies of one user, and what a journey posts, as bytes."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode


class Cookies:
    """Names and values as the server set them; a cookie that is set to expire is forgotten.

    There is only one host and no other site, so `Domain`, `Path`, `Secure` and `SameSite` are not
    looked at, as in `django.test.Client`.
    """

    def __init__(self, initial: Mapping[str, str]) -> None:
        self._initial = dict(initial)
        self._values = dict(initial)
        self._write_header()

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def forget(self) -> None:
        """Forgets what the server set; the initial cookies are back."""
        if self._values != self._initial:
            self._values = dict(self._initial)
            self._write_header()

    def take(self, lines: Iterable[str]) -> None:
        """Takes the values of the Set-Cookie headers of an answer."""
        for line in lines:
            pair, *attributes = line.split(";")
            name, equals, value = pair.partition("=")
            name = name.strip()
            if not equals or not name:
                continue
            if _expired(attributes):
                self._values.pop(name, None)
            else:
                self._values[name] = value.strip()
        self._write_header()

    def _write_header(self) -> None:
        pairs = "; ".join(f"{name}={value}" for name, value in self._values.items())
        self.header_line = f"Cookie: {pairs}\r\n" if pairs else ""


def _expired(attributes: list[str]) -> bool:
    """Whether the attributes of a cookie delete it; Max-Age weighs more than Expires (RFC 6265)."""
    wanted = {
        name.strip().lower(): value.strip()
        for name, _, value in (attribute.partition("=") for attribute in attributes)
    }
    if "max-age" in wanted:
        try:
            return int(wanted["max-age"]) <= 0
        except ValueError:
            return False
    if "expires" in wanted:
        try:
            moment = parsedate_to_datetime(wanted["expires"])
        except ValueError:
            return False
        return moment.replace(tzinfo=moment.tzinfo or UTC) <= datetime.now(UTC)
    return False


FORM = "application/x-www-form-urlencoded"


def encode_query(data: Mapping[str, Any] | None) -> str:
    """A query with its question mark, or nothing; a list gives its key several times."""
    return "?" + _urlencode(data) if data else ""


def encode_body(data: Any, content_type: str) -> bytes:
    """The body of a request, encoded as `django.test.Client` does for the same arguments.

    Two differences: a form is urlencoded where Django's client writes multipart (views read both
    from `request.POST`), and files are refused.
    """
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        return data.encode()
    if content_type.partition(";")[0].strip().endswith(("/json", "+json")):
        return json.dumps(data).encode()
    if data is None:
        return b""
    if content_type != FORM:
        raise TypeError(
            f"a {type(data).__name__} can't be sent as {content_type!r}; pass str or bytes"
        )
    return _urlencode(data).encode()


def _urlencode(data: Mapping[str, Any]) -> str:
    for key, value in data.items():
        if value is None:
            raise TypeError(f"the value of {key!r} is None; leave it out or send an empty string")
        if hasattr(value, "read"):
            raise TypeError(f"the value of {key!r} is a file, and journeys send no files")
    return urlencode(data, doseq=True)
