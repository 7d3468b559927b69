"""A body there and back."""

from itertools import count

from benchsuite.core.specs import Option, Within
from benchsuite.workloads.base import Client, expect_body
from benchsuite.workloads.get import MOST_BYTES
from benchsuite.workloads.page import TargetPage, twin

OCTETS = "application/octet-stream"


class Echo(TargetPage):
    name = "echo"
    summary = "POST a body of so many bytes, which comes back"
    options = {"size": 10_000}
    limits = {"size": Within(1, MOST_BYTES)}
    uses_database = False
    path = "/bench/echo/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._numbers = count(1)

    def journey(self, client: Client) -> None:
        size = int(self.settings["size"])
        body = f"{next(self._numbers)} ".ljust(size, "x")[:size]
        expect_body(client.post(self.path, body, OCTETS), body.encode())


EchoAsync = twin(Echo)
