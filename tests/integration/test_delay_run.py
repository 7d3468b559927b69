"""Whole runs in which what the server sends is late."""

import json

from tests.integration.command import Command
from tests.needs import needs

RUN = (
    *("runbench", "--server=gunicorn-sync", "--workload=plain", "--users=1"),
    *("--warmup=0", "--duration=2", "--delay-to-clients=50ms", "--json=-"),
)


@needs("gunicorn")
def test_through_the_proxy(command: Command) -> None:
    ended = command.run(*RUN, "--delay-by=proxy")
    assert ended.status == 0, ended.err
    (run,) = json.loads(ended.out)
    assert run["delay"]["by"] == "proxy"
    # gunicorn-sync closes its connections: each request is late by the SYN's answer and its own.
    assert 0.1 < run["response_time"]["p50"] < 0.5
