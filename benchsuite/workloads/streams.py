"""Workloads on what stays open: WebSockets (echoes, storms of connections, idle connections,
broadcasts) and server-sent events.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.samples import EVENT, HANDSHAKE, MESSAGE, PUBLICATION
from benchsuite.core.specs import LoadProfile, Option, Within
from benchsuite.core.specs.visitor import TOKEN
from benchsuite.core.wording import check_written
from benchsuite.target import MAX_EVENT_BYTES
from benchsuite.workloads.base import Unit, Workload, expect_kept

MOST_BYTES = 16 * 2**20  #: Of a message.
MOST_RATE = 10_000.0  #: Of events.


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
    by_layer: ClassVar[bool] = False  #: Whether messages reach others: its consumers need a layer.

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self.path = self.settings["path"]
        variants = [name for name in ("layer", "sync") if self.settings.get(name)]
        self.needs_target_app = not self.path
        self.uses_database = bool(self.path)
        if self.path:  # whether its consumer needs a layer is not known
            self.ready_path = "/"
            if variants:
                raise UsageError(
                    f"{self.name}'s options {' and '.join(variants)} choose among benchsuite's "
                    f"consumers, and path={self.path} is your own; remove them."
                )
            check_written(self.path)
        else:
            self.needs_layer = self.by_layer or "layer" in variants
            self.path = f"/bench/ws/{'_'.join([self.consumer, *variants])}/"
        offered = (name.strip() for name in self.settings["subprotocol"].split(","))
        self._offered = [name for name in offered if name]
        if wrong := [name for name in self._offered if not TOKEN.fullmatch(name)]:
            raise UsageError(
                f"{self.name}'s option subprotocol must be names separated by commas, without "
                f"blanks or quotes, and {wrong[0]!r} is none."
            )

    def connect(self, client: Any, *, keep: bool = False) -> Any:
        """The user's connection, according to the options."""
        deflate = self.settings["deflate"]
        return client.websocket(self.path, keep=keep, subprotocols=self._offered, deflate=deflate)


COMMON: Mapping[str, Any] = {"path": "", "sync": False, "subprotocol": "", "deflate": False}
"""Options of all WebSocket workloads."""


class WsEcho(WebSocketWorkload):
    """Each user sends a message, waits until it comes back unchanged, and sends the next.

    `messages` are sent on each connection, which is then closed and reopened; by default a
    connection is kept for the whole load and a journey is one message.
    """

    name = "ws_echo"
    summary = "WebSocket: send a message, wait for it to come back, send the next"
    options = {**COMMON, "layer": False, "messages": 0, "size": 32, "binary": False}
    limits = {"messages": Within(0), "size": Within(24, MOST_BYTES)}  # it has numbers, a checksum
    consumer = "echo"
    _fresh = False  #: Whether each message has its own connection.

    def fit(self, load: LoadProfile) -> LoadProfile:
        self._fresh = not load.keep_alive
        if load.is_open and (messages := self.settings["messages"]) > 1:
            raise UsageError(
                f"--rate starts single messages, and --messages={messages} would start that many "
                "for each; remove one of them."
            )
        return load

    def enter(self, client: Any) -> None:
        if not self._fresh and not self.settings["messages"]:
            self.connect(client, keep=True)

    def journey(self, client: Any) -> None:
        messages = self.settings["messages"] or 1
        keep = not self._fresh and not self.settings["messages"]
        connections, each = (messages, 1) if self._fresh else (1, messages)
        for _ in range(connections):
            with self.connect(client, keep=keep) as socket:
                for _ in range(each):
                    socket.echo(self.settings["size"], binary=self.settings["binary"])


class WsConnect(WebSocketWorkload):
    """Each user opens and closes connections repeatedly."""

    name = "ws_connect"
    summary = "WebSocket: connect, close, and again: how many handshakes a second?"
    options = COMMON
    unit: ClassVar[Unit] = HANDSHAKE
    due = HANDSHAKE
    in_turn = False
    consumer = "idle"

    def journey(self, client: Any) -> None:
        self.connect(client).close()


class Connections(WebSocketWorkload):
    """Keeps a number of connections open that say nothing."""

    consumer = "idle"
    alike = False
    endless = True
    warmup_s = 2.0
    spawn_rate = 200.0


class WsIdle(Connections):
    """Opens connections in steps and keeps them open; the target's memory is read at each step.

    Memory per connection is the slope over the steps, which excludes the server's memory before the
    first connection and what the first one made it load.
    """

    name = "ws_idle"
    summary = "WebSocket: open connections that say nothing: what memory does each take?"
    options = {**COMMON, "steps": 8, "ping_s": 0.0}
    limits = {"steps": Within(1), "ping_s": Within(0)}
    reads_memory = True
    duration_s = 3.0

    def fit(self, load: LoadProfile) -> LoadProfile:
        """Opens the connections in steps, unless stages are given."""
        expect_kept(self.name, load)
        if load.stages:
            return load
        steps = self.settings["steps"]
        levels = (math.ceil(load.users * step / steps) for step in range(1, steps + 1))
        return replace(load, stages=tuple(dict.fromkeys(map(float, levels))))

    def journey(self, client: Any) -> None:
        with self.connect(client, keep=True) as socket:
            socket.rest(self.settings["ping_s"] or math.inf)
            if self.settings["ping_s"]:
                socket.ping()


class WsReconnect(Connections):
    """Each user keeps an idle connection. A quarter into the window all drop theirs at the same
    moment, as when a front is restarted, and reconnect at once; refused ones try again.
    """

    name = "ws_reconnect"
    summary = "WebSocket: all connections are cut at once: how long until all are back?"
    options = COMMON
    unit: ClassVar[Unit] = HANDSHAKE
    duration_s = 8.0

    def fit(self, load: LoadProfile) -> LoadProfile:
        expect_kept(self.name, load)
        if load.stages:
            raise UsageError("A reconnect storm needs one number of connections; remove --stages.")
        self.storm_s = load.window_start_s + load.duration_s / 4
        return load

    def journey(self, client: Any) -> None:
        socket = self.connect(client, keep=True)
        assert self.storm_s is not None
        left_s = self.storm_s - client.elapsed_s
        if left_s > 0:
            socket.rest(left_s)
            socket.drop()
            socket = self.connect(client, keep=True)
        socket.rest()


class WsBroadcast(WebSocketWorkload):
    """Every connection subscribes; each publication must reach all, including its publisher.

    At a rate, the subscribers publish in turn without waiting. In the closed model the first
    `publishers` do, each as soon as its last publication has reached everyone; the others listen.
    """

    name = "ws_broadcast"
    summary = "WebSocket: publish to all subscribers: when has the last one got it?"
    options = {**COMMON, "size": 64, "binary": False, "publishers": 1}
    limits = {
        "size": Within(56, MOST_BYTES),  # it has numbers, a checksum and two times
        "publishers": Within(1),
    }
    due = PUBLICATION
    consumer = "broadcast"
    by_layer = True
    alike = False
    endless = True
    _by_rate = False

    def fit(self, load: LoadProfile) -> LoadProfile:
        if not load.keep_alive:
            raise UsageError("Subscribers keep their connection; remove --no-keep-alive.")
        if load.hosts > 1:
            raise UsageError("Publications are timed by one clock; give --load-hosts=1 at most.")
        self._by_rate = load.is_open
        return load

    def enter(self, client: Any) -> None:
        self._join(client)

    def journey(self, client: Any) -> None:
        socket = self._join(client)
        if self._by_rate or client.user < self.settings["publishers"]:
            size, binary = self.settings["size"], self.settings["binary"]
            socket.publish(size, binary=binary, wait=not self._by_rate)
        else:
            socket.rest()

    def _join(self, client: Any) -> Any:
        socket = self.connect(client, keep=True)
        socket.subscribe(binary=self.settings["binary"])
        return socket


class Sse(Workload):
    """Each user keeps a stream of events open and reads them as they come; a journey is an event.

    Events of benchsuite's own view are numbered and come at a rate. After `events` of them the
    connection is dropped, and the next one requests those after the last (Last-Event-ID).
    """

    name = "sse"
    summary = "server-sent events: time to the first, and from each to the next; none lost"
    options = {"path": "", "rate": 10.0, "size": 64, "events": 0, "numbered": False}
    limits = {"rate": Within(0, MOST_RATE), "size": Within(1, MAX_EVENT_BYTES), "events": Within(0)}
    unit = EVENT
    ready_path = "/bench/plain/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._size, rate = self.settings["size"], self.settings["rate"]
        self.path = self.settings["path"]
        self.needs_target_app = not self.path
        self.uses_database = not self.needs_target_app
        if self.needs_target_app:
            self.path = f"/bench/sse/?{urlencode({'rate': rate, 'size': self._size})}"
            self.unchecked = ""
            return
        self.ready_path = "/"
        check_written(self.path)
        if named := [name for name in ("rate", "size") if name in options]:
            raise UsageError(
                f"sse's option {named[0]} belongs to benchsuite's stream, and path={self.path} is "
                "your own; remove it."
            )
        missed = ", and one that never came is not missed (numbered=true tells)"
        self.unchecked = (
            "Of the events, nothing but the ids was looked at: what they say may have been "
            f"wrong{missed * (not self.settings['numbered'])}."
        )

    def fit(self, load: LoadProfile) -> LoadProfile:
        expect_kept(self.name, load)
        if load.think_time_s:
            raise UsageError("A stream is read as it comes; remove --think-time.")
        rate = self.settings["rate"]
        if self.needs_target_app and rate and rate * load.timeout_s <= 1:
            raise UsageError(
                f"At {rate:g} events a second they are {1 / rate:g} s apart, and each times out "
                f"after {load.timeout_s:g} s; give a higher rate or --timeout."
            )
        return load

    def journey(self, client: Any) -> None:
        ours = self.needs_target_app
        numbered = ours or self.settings["numbered"]
        stream = client.events(
            self.path, after="0" if ours else "", numbered=numbered, endless=ours
        )
        event = stream.next()
        if ours and event.data != f"{event.id} ".ljust(self._size, "x"):
            raise AnswerError(f"event {event.id} has unexpected data: {event.data[:60]!r}")
        if 0 < self.settings["events"] <= stream.came:
            stream.drop()
