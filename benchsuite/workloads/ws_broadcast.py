"""Broadcasts: messages of one connection that all must get."""

from math import inf
from time import monotonic

from benchsuite.core.exceptions import UsageError
from benchsuite.core.samples import PUBLICATION
from benchsuite.core.specs import LoadProfile, Option, Within
from benchsuite.workloads.base import Client, WebSocket
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload, speaking

FRAME_BYTES = 4  #: Header of most frames.
GOLDEN = 0.6180339887498949  #: Fractional parts of its multiples are spread evenly over [0, 1).
LEAST_BYTES = 56  #: Numbers, checksum and two times.


class WsBroadcast(WebSocketWorkload):
    """Every connection subscribes; each publication must reach all, including its publisher.

    At a rate, the subscribers publish in turn without waiting. In the closed model the first
    `publishers` do, each as soon as its last publication has reached everyone; the others listen.
    The last `slow` subscribers read at most `slow_rate` messages a second. With `churn_s` all
    others leave the group after that time and join it again.
    """

    name = "ws_broadcast"
    summary = "WebSocket: publish to all subscribers: when has the last one got it?"
    options = {
        **COMMON,
        "size": 64,
        "binary": False,
        "publishers": 1,
        "slow": 0,
        "slow_rate": 1.0,
        "churn_s": 0.0,
    }
    limits = {
        "publishers": Within(1),
        "slow": Within(0),
        "slow_rate": Within(0.01),
        "churn_s": Within(0),
    }
    due = PUBLICATION
    consumer = "broadcast"
    by_layer = True
    alike = False
    endless = True
    least_bytes = LEAST_BYTES

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._size = int(self.settings["size"])
        self._binary = bool(self.settings["binary"])
        self._publishers = int(self.settings["publishers"])
        self._slow = int(self.settings["slow"])
        self._slow_rate = float(self.settings["slow_rate"])
        self._churn_s = float(self.settings["churn_s"])
        self._by_rate = False
        self._slow_from: float = inf  #: Subscribers from this number on are slow.
        self._until: dict[int, float] = {}  #: When each churning subscriber leaves the group.

    def fit(self, load: LoadProfile) -> LoadProfile:
        if not load.keep_alive:
            raise UsageError("Subscribers keep their connection; remove --no-keep-alive.")
        self._by_rate = load.is_open
        subscribers = load.in_flight_limit if load.is_open else load.users
        self._slow_from = subscribers - self._slow
        least = 1 if load.is_open else self._publishers
        if self._slow and self._slow_from < least:
            raise UsageError(
                f"Of {subscribers} connections {self._slow} are slow (option slow), which leaves "
                f"{max(0, self._slow_from)}; at least {least} must not be slow."
            )
        return load

    def enter(self, client: Client) -> None:
        self._join(client)

    def journey(self, client: Client) -> None:
        user = speaking(client).user
        socket = self._join(client)
        stays_until = self._until.setdefault(user, self._leaving_time(user))
        if self._by_rate or user < self._publishers:
            socket.publish(self._size, binary=self._binary, wait=not self._by_rate)
        else:
            socket.rest(max(0.0, stays_until - monotonic()))
        if monotonic() >= stays_until:
            socket.close()
            self._join(client)
            self._until[user] = monotonic() + self._churn_s

    def _join(self, client: Client) -> WebSocket:
        socket = self.connect(client, keep=True)
        slow = speaking(client).user >= self._slow_from
        bytes_s = self._slow_rate * (self._size + FRAME_BYTES) if slow else None
        socket.subscribe(binary=self._binary, read_bytes_s=bytes_s)
        return socket

    def _leaving_time(self, user: int) -> float:
        """The first time; these are spread evenly."""
        leaves = self._churn_s and user < self._slow_from
        if not leaves or (not self._by_rate and user < self._publishers):
            return inf
        return monotonic() + self._churn_s * (user * GOLDEN % 1.0)
