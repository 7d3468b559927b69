"""What a journey may do: its client, and the client's responses."""

from collections.abc import Mapping
from typing import Any, Protocol


class Response(Protocol):
    """What a journey may use of a response; `django.http.HttpResponse` has all of it."""

    status_code: int
    content: bytes

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


class Client(Protocol):
    """What a journey may do; `django.test.Client` can do all of it.

    `name` groups requests in the results ("/polls/[id]/"); the default is the path. A journey may
    set the attribute `journey_name`, its own name in the results. The load's client (`load.client`)
    speaks WebSocket, too.
    """

    def get(self, path: str, *, name: str = ..., headers: Any = ...) -> Any: ...

    def post(
        self,
        path: str,
        data: Any = ...,
        content_type: str = ...,
        *,
        name: str = ...,
        headers: Any = ...,
    ) -> Any: ...
