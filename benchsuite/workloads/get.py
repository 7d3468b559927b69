"""A body of so many bytes."""

from benchsuite.core.specs import Option, Within
from benchsuite.workloads.base import Client, expect_body
from benchsuite.workloads.page import TargetPage, twin

MOST_BYTES = 2**24  #: The views' limit.


class Get(TargetPage):
    name = "get"
    summary = "GET a body of so many bytes: what answers of that size cost"
    options = {"size": 10_000}
    limits = {"size": Within(0, MOST_BYTES)}
    uses_database = False
    path = "/bench/get/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._url = f"{self.path}?size={self.settings['size']}"
        self._right = b"x" * int(self.settings["size"])

    def journey(self, client: Client) -> None:
        expect_body(client.get(self._url, name=self.path), self._right)


GetAsync = twin(Get)
