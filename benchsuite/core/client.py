"""What a journey may do: its client, and the client's responses."""

from collections.abc import Mapping
from typing import Any, Protocol, Self


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
    set the attribute `journey_name`, its own name in the results.
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


class WebSocket(Protocol):
    """An open WebSocket of a journey, used in its `with` block.

    A message is what is sent and answered; handshake and closing are measured, too. Any failure
    ends the journey and is counted by its kind. Messages that the server sends by itself are
    counted as unsolicited.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: Any) -> None: ...

    def send(self, data: str | bytes, *, answered: bool = ...) -> Any:
        """Sends a message, bytes as binary; with `answered=False` it is only counted."""

    def receive(self, matching: Any = ..., *, to: Any = ...) -> str | bytes:
        """The next message; with `matching` the next one that matches, the answer to what was sent.

        `matching` is a text that it contains, or a function of the message. If it may answer
        several sent messages, `to` is what `send()` returned for the right one.
        """

    def numbered(self, size: int = ...) -> str:
        """A text of this many bytes, unique among the messages of the load."""

    def echo(self, size: int, *, binary: bool = ...) -> None:
        """Sends a numbered message of this many bytes, which must come back unchanged."""

    def ping(self) -> None:
        """Sends a ping and waits for its pong."""

    def rest(self, seconds: float = ...) -> None:
        """Keeps the connection open and idle for that time, or until the load ends."""

    def subscribe(self, *, binary: bool = ...) -> Any:
        """From now on messages are publications."""

    def publish(self, size: int, *, binary: bool = ..., wait: bool = ...) -> None:
        """Sends a numbered message to all subscribers; waits for those of this process."""

    def close(self) -> None:
        """The closing handshake; leaving the `with` block does it, too."""

    def drop(self) -> None:
        """Ends the connection without a closing handshake."""


class SocketClient(Protocol):
    """A client that speaks WebSocket; the load's does, `django.test.Client` doesn't."""

    user: int
    elapsed_s: float  #: Since the load began; 0 in the check before it.

    def websocket(
        self,
        path: str,
        *,
        keep: bool = ...,
        name: str = ...,
        headers: Any = ...,
        subprotocols: Any = ...,
        deflate: bool = ...,
    ) -> WebSocket:
        """An open connection. With `keep` it stays open for the user's next journey.

        The server must choose one of the offered `subprotocols`; it may decline `deflate`, the
        offer to compress messages.
        """
