"""The application of the Circus and Chaussette comparison of 2012."""

import re
from typing import ClassVar

from benchsuite.core.exceptions import AnswerError
from benchsuite.workloads.base import Client, Workload, expect_status

_SECONDS = re.compile(rb"\d{1,4}\.\d{4}")
LEAST_S = 0.099  #: The view sleeps 100 ms; a faster answer skipped work.


class BenchApp(Workload):
    name = "bench_app"
    unchecked = ""
    summary = "GET the application of 2012: a loop, 100 ms of sleep, 10 000 small writes"
    ready_path = "/bench/plain/"
    needs_target_app = True
    path: ClassVar[str] = "/bench/bench_app/"

    def journey(self, client: Client) -> None:
        response = client.get(self.path)
        expect_status(response)
        body = response.content
        if not _SECONDS.fullmatch(body) or float(body) < LEAST_S:
            raise AnswerError(f"expected the seconds it took, 0.1 or more, and got {body[:60]!r}")


class BenchAppAsync(BenchApp):
    name = "bench_app_async"
    summary = "bench_app with an async view (only the sleep can be awaited)"
    path = "/bench/bench_app_async/"
