"""A body there and back."""

from itertools import count
from typing import ClassVar

from benchsuite.core.specs import Option, refuse_unless_within
from benchsuite.workloads.base import Client, Workload, expect_body
from benchsuite.workloads.get import MOST_BYTES

OCTETS = "application/octet-stream"


class Echo(Workload):
    name = "echo"
    unchecked = ""
    summary = "POST a body of so many bytes, which comes back"
    options = {"size": 10_000}
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/echo/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        refuse_unless_within(self.name, self.settings, "size", 1, MOST_BYTES)
        self._numbers = count(1)

    def journey(self, client: Client) -> None:
        size = int(self.settings["size"])
        body = f"{next(self._numbers)} ".ljust(size, "x")[:size]
        expect_body(client.post(self.path, body, OCTETS), body.encode())


class EchoAsync(Echo):
    name = "echo_async"
    summary = "echo with an async view"
    path = "/bench/echo_async/"
