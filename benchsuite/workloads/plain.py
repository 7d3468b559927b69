"""Two bytes of text."""

from typing import ClassVar

from benchsuite.workloads.base import Client, Workload, expect_body


class Plain(Workload):
    name = "plain"
    unchecked = ""
    summary = "GET two bytes: what the server and Django cost by themselves"
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/plain/"

    def journey(self, client: Client) -> None:
        expect_body(client.get(self.path), b"OK")


class PlainAsync(Plain):
    name = "plain_async"
    summary = "plain with an async view"
    path = "/bench/plain_async/"
