"""Whole runs in which what the server sends is late."""

import json
import subprocess
import sys

import pytest

from tests.integration.command import LONGEST_S, ROOT, Command
from tests.integration.delay_network import IN_A_NETWORK
from tests.needs import needs

RUN = (
    *("runbench", "--server=gunicorn-sync", "--workload=plain", "--users=1"),
    *("--warmup=0", "--duration=2", "--delay-to-clients=50ms", "--json=-"),
)
TARGET = ("--setting=DATABASES.default.ATOMIC_REQUESTS=true", "--variable=MALLOC_ARENA_MAX=2")


@needs("gunicorn")
def test_through_the_proxy(command: Command) -> None:
    ended = command.run(*RUN, "--delay-by=proxy", "--delay-to-database=20ms", *TARGET)
    assert ended.status == 0, ended.err
    assert "20.0\u2009ms to the database" in ended.err
    assert "(plain asks no database) added" in ended.err
    (run,) = json.loads(ended.out)
    assert run["delay"]["by"] == "proxy"
    assert "ATOMIC_REQUESTS as --setting or OVERRIDES says" in run["settings_changed"]["DATABASES"]
    assert list(run["delay"]["proxies"]) == ["delay-to-clients"]
    # gunicorn-sync closes its connections: each request is late by the SYN's answer and its own.
    assert 0.1 < run["response_time"]["p50_s"] < 0.5


@needs("gunicorn", "private-network", "iproute2")
@pytest.mark.parametrize("words", [("--delay-by=netem",), ("--delay-by=auto",)])
def test_in_a_private_network(words: tuple[str, ...], command: Command) -> None:
    """The kernel's part is left out, so nothing is late; all else is as it would be."""
    program = [sys.executable, "-m", "tests.integration.delayed_manage"]
    done = subprocess.run(
        [*IN_A_NETWORK, *program, *RUN, *words],
        cwd=ROOT,
        env=command.env,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    assert run["delay"]["by"] == "netem"
    assert run["failures"] == 0
    assert run["requests"] > 10
