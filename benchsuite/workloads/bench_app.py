"""The application of the Circus and Chaussette comparison of 2012."""

from benchsuite.core.specs import Within
from benchsuite.workloads.base import Client, expect_body, expect_seconds
from benchsuite.workloads.page import TargetPage, twin

PAUSE_S = 0.1
PAGE = b"<HTML>\n  <BODY>\n    Hello there.\n  </BODY>\n</HTML>\n"


class BenchApp(TargetPage):
    name = "bench_app"
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    options = {"version": 1}
    limits = {"version": Within(1, 2)}
    uses_database = False
    path = "/bench/bench_app/"

    def journey(self, client: Client) -> None:
        if self.settings["version"] == 1:
            expect_seconds(client.get(self.path), PAUSE_S)
        else:
            expect_body(client.get(f"{self.path}?version=2"), PAGE)


BenchAppAsync = twin(BenchApp, " (only the sleep can be awaited)")
