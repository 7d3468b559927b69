"""A wait for something that needs no CPU."""

from typing import ClassVar

from benchsuite.core.specs import Option, refuse_unless_within
from benchsuite.workloads.base import Client, Workload, expect_seconds

LONGEST_S = 60.0  #: The view's limit.


class Sleep(Workload):
    name = "sleep"
    unchecked = ""
    summary = "GET a page that waits so many seconds: how many can wait at once?"
    options = {"seconds": 0.01}
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/sleep/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        refuse_unless_within(self.name, self.settings, "seconds", 0, LONGEST_S)
        self._url = f"{self.path}?seconds={self.settings['seconds']}"

    def journey(self, client: Client) -> None:
        expect_seconds(client.get(self._url, name=self.path), float(self.settings["seconds"]))


class SleepAsync(Sleep):
    name = "sleep_async"
    summary = "sleep with an async view"
    path = "/bench/sleep_async/"
