"""Two bytes of text."""

from benchsuite.workloads.base import Client, expect_body
from benchsuite.workloads.page import TargetPage, twin


class Plain(TargetPage):
    name = "plain"
    summary = "GET two bytes: what the server and Django cost by themselves"
    uses_database = False
    path = "/bench/plain/"

    def journey(self, client: Client) -> None:
        expect_body(client.get(self.path), b"OK")


PlainAsync = twin(Plain)
