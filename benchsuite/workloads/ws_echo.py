"""Round trips of messages."""

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, Option, Within
from benchsuite.workloads.base import Client
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload

LEAST_BYTES = 24


class WsEcho(WebSocketWorkload):
    """Each user sends a message, waits until it comes back unchanged, and sends the next.

    `messages` are sent on each connection, which is then closed and reopened; by default a
    connection is kept for the whole load and a journey is one message.
    """

    name = "ws_echo"
    summary = "WebSocket: send a message, wait for it to come back, send the next"
    options = {**COMMON, "layer": False, "messages": 0, "size": 32, "binary": False}
    limits = {"messages": Within(0)}
    consumer = "echo"
    least_bytes = LEAST_BYTES

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._messages = int(self.settings["messages"])
        self._size = int(self.settings["size"])
        self._binary = bool(self.settings["binary"])
        self._fresh = False  #: Whether each message has its own connection.

    def fit(self, load: LoadProfile) -> LoadProfile:
        self._fresh = not load.keep_alive
        if load.is_open and self._messages > 1:
            raise UsageError(
                f"--rate starts single messages, and --messages={self._messages} would start that "
                "many for each; remove one of them."
            )
        return load

    def enter(self, client: Client) -> None:
        if not self._fresh and not self._messages:
            self.connect(client, keep=True)

    def journey(self, client: Client) -> None:
        if self._fresh:
            for _ in range(self._messages or 1):
                with self.connect(client) as socket:
                    socket.echo(self._size, binary=self._binary)
            return
        with self.connect(client, keep=not self._messages) as socket:
            for _ in range(self._messages or 1):
                socket.echo(self._size, binary=self._binary)
