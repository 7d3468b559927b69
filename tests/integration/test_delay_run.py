"""Whole runs in which what the server sends is late."""

import json

from tests.integration.command import Command
from tests.needs import needs

RUN = (
    *("runbench", "--server=gunicorn-sync", "--workload=plain", "--users=1"),
    *("--warmup=0", "--duration=2", "--delay-to-clients=50ms", "--json=-"),
)
TARGET = ("--setting=DATABASES.default.ATOMIC_REQUESTS=true", "--variable=MALLOC_ARENA_MAX=2")


@needs("gunicorn")
def test_through_the_proxy(command: Command) -> None:
    ended = command.run(*RUN, "--delay-to-database=20ms", *TARGET)
    assert ended.status == 0, ended.err
    assert "20.0\u2009ms to the database" in ended.err
    assert "(plain asks no database) added" in ended.err
    (run,) = json.loads(ended.out)
    assert "ATOMIC_REQUESTS as --setting or OVERRIDES says" in run["settings_changed"]["DATABASES"]
    assert list(run["delay"]["proxies"]) == ["delay-to-clients"]
    # gunicorn-sync closes its connections: each request is late by the SYN's answer and its own.
    assert 0.1 < run["response_time"]["p50_s"] < 0.5
