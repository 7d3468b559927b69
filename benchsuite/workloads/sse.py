"""Server-sent events."""

from typing import Any
from urllib.parse import urlencode

from benchsuite.core.exceptions import AnswerError, UsageError
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import LoadProfile, Option, Within
from benchsuite.core.wording import check_written
from benchsuite.target import MAX_EVENT_BYTES
from benchsuite.workloads.base import Workload, expect_kept

PATH = "/bench/sse/"
MOST_RATE = 10_000.0


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
            self.path = f"{PATH}?{urlencode({'rate': rate, 'size': self._size})}"
            self.unchecked = ""
            return
        self.ready_path = "/"
        check_written(self.path)
        named = [name for name in ("rate", "size") if name in options]
        if named:
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
