"""A wait for something that needs no CPU."""

from benchsuite.core.specs import Option, Within
from benchsuite.workloads.base import Client, expect_seconds
from benchsuite.workloads.page import TargetPage, twin

LONGEST_S = 60.0  #: The view's limit.


class Sleep(TargetPage):
    name = "sleep"
    summary = "GET a page that waits so many seconds: how many can wait at once?"
    options = {"seconds": 0.01}
    limits = {"seconds": Within(0, LONGEST_S)}
    uses_database = False
    path = "/bench/sleep/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._url = f"{self.path}?seconds={self.settings['seconds']}"

    def journey(self, client: Client) -> None:
        expect_seconds(client.get(self._url, name=self.path), float(self.settings["seconds"]))


SleepAsync = twin(Sleep)
