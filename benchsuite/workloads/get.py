"""A body of so many bytes."""

from typing import ClassVar

from benchsuite.core.specs import Option, refuse_unless_within
from benchsuite.workloads.base import Client, Workload, expect_body

MOST_BYTES = 2**24  #: The views' limit.


class Get(Workload):
    name = "get"
    unchecked = ""
    summary = "GET a body of so many bytes: what answers of that size cost"
    options = {"size": 10_000}
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/get/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        refuse_unless_within(self.name, self.settings, "size", 0, MOST_BYTES)
        self._url = f"{self.path}?size={self.settings['size']}"
        self._right = b"x" * int(self.settings["size"])

    def journey(self, client: Client) -> None:
        expect_body(client.get(self._url, name=self.path), self._right)


class GetAsync(Get):
    name = "get_async"
    summary = "get with an async view"
    path = "/bench/get_async/"
