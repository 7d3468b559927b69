"""What a journey gets to see of an answer."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from benchsuite.core.exceptions import AnswerError
from benchsuite.load.client.http.heads import Head

SHOWN_BYTES = 60


class Response:
    """Has the attributes of `django.http.HttpResponse` that a journey may use."""

    def __init__(
        self,
        path: str,
        status_code: int,
        content: bytes,
        head: Head,
        *,
        method: str = "GET",
    ) -> None:
        self.method = method
        self.path = path  #: What was asked for, with its query.
        self.status_code = status_code
        self.content = content
        self.redirect_chain: list[tuple[str, int]] = []
        """Where a followed redirect led: (location, status), as in `django.test.Client`."""
        self._head = head

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Names in any case; a header that came twice is joined by a comma."""
        return _Headers(self._head)

    @property
    def media_type(self) -> str:
        """Such as "text/html"; empty where the answer says none."""
        return self._head.media_type

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        """The decoded body; raises AnswerError when it is no JSON."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise AnswerError(f"expected JSON, and got {self.content[:SHOWN_BYTES]!r}") from None


class _Headers(dict[str, str]):
    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        joined: dict[str, str] = {}
        for name, value in fields:
            key = name.lower()
            joined[key] = f"{joined[key]}, {value}" if key in joined else value
        super().__init__(joined)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)
