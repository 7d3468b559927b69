"""What the WebSocket workloads share: the consumer they use, and their frames."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from benchsuite.core.exceptions import UsageError
from benchsuite.core.paths import check_written
from benchsuite.core.samples import MESSAGE
from benchsuite.core.specs import Option
from benchsuite.core.specs.visitor import TOKEN
from benchsuite.workloads.base import Client, SocketClient, Unit, WebSocket, Workload

ROOT = "/bench/ws/"
MOST_BYTES = 16 * 2**20


class WebSocketWorkload(Workload):
    """Speaks to a consumer of the target, or to one of the project's own at `path`.

    `layer` and `sync` choose among the target's: /bench/ws/echo_layer_sync/.
    """

    ready_path = "/bench/plain/"
    unchecked = ""
    unit: ClassVar[Unit] = MESSAGE
    needs_websocket = True
    in_turn = True
    consumer: ClassVar[str]
    by_layer: ClassVar[bool] = False
    """Whether messages reach other connections, for which all its consumers need a layer."""
    least_bytes: ClassVar[int] = 0

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.path = str(self.settings["path"])
        variants = [name for name in ("layer", "sync") if self.settings.get(name)]
        self.needs_target_app = not self.path
        self.uses_database = not self.needs_target_app
        self.needs_layer = self.by_layer or "layer" in variants
        if self.path:
            self.ready_path = "/"
            self.needs_layer = False  # unknown for the project's own consumer
            if variants:
                raise UsageError(
                    f"{self.name}'s options {' and '.join(variants)} choose among benchsuite's "
                    f"consumers, and path={self.path} is your own; remove them."
                )
            check_written(self.path)
        else:
            self.path = f"{ROOT}{'_'.join([self.consumer, *variants])}/"
        self._check_size()
        self._offered = [name.strip() for name in str(self.settings["subprotocol"]).split(",")]
        self._offered = [name for name in self._offered if name]
        if wrong := [name for name in self._offered if not TOKEN.fullmatch(name)]:
            raise UsageError(
                f"{self.name}'s option subprotocol must be names separated by commas, without "
                f"blanks or quotes, and {wrong[0]!r} is none."
            )

    def connect(self, client: Client, *, keep: bool = False) -> WebSocket:
        """The user's connection, according to the options."""
        return speaking(client).websocket(
            self.path,
            keep=keep,
            subprotocols=self._offered,
            deflate=bool(self.settings["deflate"]),
        )

    def _check_size(self) -> None:
        size = self.settings.get("size")
        if size is not None and not self.least_bytes <= int(size) <= MOST_BYTES:
            raise UsageError(
                f"{self.name}'s option size must be from {self.least_bytes} (for numbers and "
                f"checksum) to {MOST_BYTES} bytes, and is {size}."
            )


def speaking(client: Client) -> SocketClient:
    """The client, if it speaks WebSocket."""
    return cast(SocketClient, client)


COMMON: Mapping[str, Any] = {
    "path": "",
    "sync": False,
    "subprotocol": "",
    "deflate": False,
}
"""Options of all WebSocket workloads."""
