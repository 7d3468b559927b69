"""How long the pages take when there is much to show: python -m benchmarks.pages

The list with 10 000 runs, a run with 3 600 seconds, comparisons of 8 and of 40 cells: what the
server needs for each, and when a browser has drawn the first chart. Uses a SQLite file of its own
that is removed at the end.
"""

import argparse
import gzip
import os
import time
from typing import Any

from benchmarks.console import console, served, tab

RUNS = 10_000
SECONDS = 3_600
CELLS = 40
STARTS = 3
TIMES = 5
KEYS = 50  #: Configurations that `make_rows` makes.
SLOW_BYTES_PER_S = 50 * 1024
FIRST = """() => performance.getEntriesByType("mark")[0].startTime
  - performance.getEntriesByType("navigation")[0].responseEnd"""


def main() -> None:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    with console():
        paths = made()
        print(f"{'page':<44}{'queries':>8}{'CPU':>10}{'bytes':>10}{'packed':>10}")
        for name, path in paths.items():
            report(name, path)
        print(f"\n{'page':<44}{'first chart after the HTML':>38}")
        with served() as address, tab(address, viewport={"width": 1280, "height": 900}) as page:
            for name, path in paths.items():
                if "run," in name or "comparison" in name:
                    print(f"{name:<44}{first_chart(page, path) * 1e3:>35.0f} ms")
            print(f"\nread at 50 KiB/s, nothing in the cache: {readable(page):.1f} s for the list")


def made() -> dict[str, str]:
    """Names of pages with their paths; what they show is made first."""
    from datetime import timedelta

    from benchsuite import conf
    from tests.factories import BEGUN, make_run
    from tests.starts import make_rows

    make_rows(RUNS, servers=tuple(conf.paths("SERVERS")))
    long = make_run("uwsgi", rate=50, users=10, warmup_s=0.0, duration_s=float(SECONDS))
    several = [make_run("uwsgi", seed=number, processes=number + 1) for number in range(8)]
    many = [
        make_run(
            "uvicorn", seed=one, processes=one % CELLS + 1, started_at=BEGUN + timedelta(days=one)
        )
        for one in range(CELLS * STARTS)
    ]
    return {
        f"list, {RUNS} runs, newest first": "/results/",
        f"list, {RUNS} runs, by label, page 50": "/results/?sort=label&page=50",
        f"list, {RUNS} runs, filtered and searched": "/results/?server=uwsgi&q=label-24",
        "configurations, by goodput": "/results/configurations/?sort=-goodput",
        f"history of {RUNS // KEYS} runs": f"/results/configurations/{0:064x}/",
        f"run, {SECONDS} seconds": f"/results/{long.pk}/",
        "run, 13 seconds": f"/results/{several[0].pk}/",
        "comparison of 8 cells": compared(several),
        f"comparison of {CELLS} cells, {STARTS} starts each": compared(many),
        f"export of {RUNS} runs as CSV": "/results/export/?format=csv",
    }


def compared(runs: list[Any]) -> str:
    return f"/results/compare/?runs={','.join(str(run.pk) for run in runs)}"


def report(name: str, path: str) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="localhost")
    client.get("/results/", {"token": os.environ["BENCHSUITE_TOKEN"]})
    with CaptureQueriesContext(connection) as seen:
        answer = client.get(path)
        body = answer.getvalue()
    assert answer.status_code == 200, body
    queries = len(seen)  # the next request begins a new log
    took = []
    for _ in range(TIMES):
        begun = time.process_time()  # whatever else runs here
        client.get(path).getvalue()
        took.append(time.process_time() - begun)
    median = sorted(took)[TIMES // 2]
    sizes = "".join(f"{len(one) / 1024:>6.0f} KiB" for one in (body, gzip.compress(body)))
    print(f"{name:<44}{queries:>8}{median * 1e3:>7.0f} ms{sizes}")


def first_chart(page: Any, path: str) -> float:
    """Seconds, the median of several visits; plotly.js is in the cache but for the first."""
    took = []
    for _ in range(TIMES):
        page.goto(path)
        page.locator("figure.chart").first.scroll_into_view_if_needed()
        page.wait_for_function("() => performance.getEntriesByType('mark').length > 0")
        took.append(page.evaluate(FIRST) / 1e3)
    return sorted(took)[TIMES // 2]


def readable(page: Any) -> float:
    """Seconds until the list is there with its styles, on a slow network."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    slow = {"downloadThroughput": SLOW_BYTES_PER_S, "uploadThroughput": SLOW_BYTES_PER_S}
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 100, **slow})
    begun = time.perf_counter()
    page.goto("/results/", wait_until="domcontentloaded")
    page.locator("table tbody tr").first.wait_for()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
