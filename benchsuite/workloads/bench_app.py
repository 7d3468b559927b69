"""The application of the Circus and Chaussette comparison of 2012."""

from typing import ClassVar

from benchsuite.core.specs import Option, refuse_unless_within
from benchsuite.workloads.base import Client, Workload, expect_body, expect_seconds

PAUSE_S = 0.1
PAGE = b"<HTML>\n  <BODY>\n    Hello there.\n  </BODY>\n</HTML>\n"


class BenchApp(Workload):
    name = "bench_app"
    unchecked = ""
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    options = {"version": 1}
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/bench_app/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        refuse_unless_within(self.name, self.settings, "version", 1, 2)

    def journey(self, client: Client) -> None:
        if self.settings["version"] == 1:
            expect_seconds(client.get(self.path), PAUSE_S)
        else:
            expect_body(client.get(f"{self.path}?version=2"), PAGE)


class BenchAppAsync(BenchApp):
    name = "bench_app_async"
    summary = "bench_app with an async view (only the sleep can be awaited)"
    path = "/bench/bench_app_async/"
