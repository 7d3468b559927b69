"""What a journey may do: the client it is handed, and what that answers."""

from collections.abc import Mapping
from typing import Any, Protocol, Self


class Response(Protocol):
    """What a journey may use of an answer; `django.http.HttpResponse` has all of it."""

    status_code: int
    content: bytes

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


class Client(Protocol):
    """What a journey may do; `django.test.Client` can do all of it.

    `name` groups requests in the results ("/polls/[id]/"); without it the path is the name. A
    journey may set an attribute `journey_name`, by which it then goes in the results itself.
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
    """An open WebSocket of a journey, in whose `with` block it is used.

    What is sent and answered is a message; handshake and closing are measured, too. Whatever goes
    wrong ends the journey and is counted by its kind. What the server says by itself is counted as
    unsolicited.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: Any) -> None: ...

    def send(self, data: str | bytes, *, answered: bool = ...) -> Any:
        """Sends a message: text as text, bytes as binary. One that no answer is taken to is only
        counted; `answered=False` says so at once.
        """

    def receive(self, matching: Any = ..., *, to: Any = ...) -> str | bytes:
        """The next message; with `matching` the next such one, which answers what was sent.

        `matching` is a text that stands in it, an id or values of its JSON (7 is {"id": 7}), or a
        function that is told the message. Where several messages wait that it may belong to, `to`
        is what `send()` returned of the one.
        """

    def numbered(self, size: int = ...) -> str:
        """A text of so many bytes that no other message of the load has."""

    def echo(self, size: int, *, binary: bool = ...) -> None:
        """Sends a numbered message of so many bytes, which must come back as it was."""

    def ping(self) -> None:
        """Sends a ping, and waits for its pong."""

    def rest(self, seconds: float = ...) -> None:
        """Leaves the connection open and does nothing for that time, or until the load ends."""

    def subscribe(self, *, binary: bool = ..., read_bytes_s: float | None = ...) -> Any:
        """From now on what arrives are publications; no more than that is read in a second."""

    def publish(self, size: int, *, binary: bool = ..., wait: bool = ...) -> None:
        """Sends a numbered message that all subscribers must get; waits until those have that are
        in this process, unless told not to.
        """

    def close(self) -> None:
        """The closing handshake; leaving the `with` block does it, too."""

    def drop(self) -> None:
        """Ends the connection without a word."""


class SocketClient(Protocol):
    """A client that speaks WebSocket; that of the load does, `django.test.Client` doesn't."""

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
        """An open connection. With `keep` it stays open, and the user's next journey has it.

        Of `subprotocols` that are offered the server must choose one; it may decline `deflate`,
        the offer to compress messages.
        """
