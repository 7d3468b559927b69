"""The application of the Circus and Chaussette comparison of 2012."""

from typing import ClassVar

from benchsuite.workloads.base import Client, Workload, expect_seconds

PAUSE_S = 0.1


class BenchApp(Workload):
    name = "bench_app"
    unchecked = ""
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str] = "/bench/bench_app/"

    def journey(self, client: Client) -> None:
        expect_seconds(client.get(self.path), PAUSE_S)


class BenchAppAsync(BenchApp):
    name = "bench_app_async"
    summary = "bench_app with an async view (only the sleep can be awaited)"
    path = "/bench/bench_app_async/"
