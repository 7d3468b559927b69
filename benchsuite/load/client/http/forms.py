"""What a journey posts, as the bytes that are sent."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

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
